"""This room is what an instructor keeps: folders, roster, dates, gradebook, releases."""
