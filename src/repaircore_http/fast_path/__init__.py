"""Code that exists only for speed or fairness."""
