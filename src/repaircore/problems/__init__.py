"""Repair problems: the categories, and what the repair book says of each."""
