"""A chapter as its author has it, what was handed in, and the notebook that is made of both."""
