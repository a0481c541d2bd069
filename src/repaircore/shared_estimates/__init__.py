"""Shared estimates: anyone with the link can see them, for 30 days."""
