"""What every room may use: errors, paths, versions, and a fake GPU."""
