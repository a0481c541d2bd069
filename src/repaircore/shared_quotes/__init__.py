"""Shared quotes: checked quotes that anyone with the link can see, for 30 days."""
