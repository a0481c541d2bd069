"""Tasks: long work that a user starts and that runs in the background."""
