"""Tasks: long jobs that a user starts and that run in the background."""
