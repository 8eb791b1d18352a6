"""This room tells a teacher about a class: its report, and which submissions are alike."""
