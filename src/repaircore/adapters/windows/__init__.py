"""Rate windows in files that the workers of one machine share."""
