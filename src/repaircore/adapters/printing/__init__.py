"""Documents on paper."""
