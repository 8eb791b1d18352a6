"""The course as nbgrader sees it. Every nbgrader command and formgrader reads this file."""

from autograder.nbgrader_plugins import plug_in

c = get_config()
plug_in(c)

# What holds for this course alone stands below, such as:
# c.CourseDirectory.course_id = "the name of the course"
# c.Assistants.policy = "tutor"  # or "closed" or "open": what a coding assistant may do
