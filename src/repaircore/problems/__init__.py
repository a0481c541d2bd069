"""Repair problems: browse, search and describe the repairs in the book."""
