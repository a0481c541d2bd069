"""Rate windows kept in files that the workers of one machine share."""
