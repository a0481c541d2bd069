"""Background jobs: each runs periodically, in one process at a time."""
