"""This room reads what was handed in, and puts its answers into the released notebook."""
