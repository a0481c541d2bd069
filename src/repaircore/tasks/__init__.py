"""Tasks: long work that somebody starts, which goes on in the background."""
