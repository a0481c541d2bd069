"""Estimates that anyone with the link can see, for a month."""
