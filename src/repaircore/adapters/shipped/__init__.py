"""Readers of the data files in the package."""
