"""What an author says of an exercise, as data that both processes read."""
