"""Service schedules: planned, due, completed."""
