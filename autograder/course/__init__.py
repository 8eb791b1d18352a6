"""What an instructor keeps: folders, roster, dates, gradebook, releases."""
