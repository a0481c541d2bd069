"""The schema: tables, what their columns tell of persons, and migrations."""
