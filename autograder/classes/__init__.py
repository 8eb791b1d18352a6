"""What to know about a class: its report, and which submissions are alike."""
