"""In this room an author describes an exercise, as data that both processes read."""
