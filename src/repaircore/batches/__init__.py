"""Many predictions at once."""
