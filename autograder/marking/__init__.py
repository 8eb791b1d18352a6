"""The page on which a person marks written answers, and the marks that come back from it."""
