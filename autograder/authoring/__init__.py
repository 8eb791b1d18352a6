"""What an author runs: self-tests, mutants, made-up classes, and the files of a new exercise."""
