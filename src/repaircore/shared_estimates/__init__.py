"""Estimates that anybody with a link can see, for a month."""
