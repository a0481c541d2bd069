"""Personal data: exports and erasures."""
