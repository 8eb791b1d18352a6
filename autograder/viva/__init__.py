"""This room makes an oral exam on paper: questions about a student's own code, with a key."""
