"""A chapter as its author wrote it: checked, loaded, and made into the notebook to release."""
