"""Repair problems: browse, search and describe the repairs of the book."""
