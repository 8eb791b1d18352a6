"""This room holds what every other may use: errors, paths, versions, and a fake GPU."""
