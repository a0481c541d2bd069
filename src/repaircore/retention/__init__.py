"""Retention: what is deleted when it is old, and what never is."""
