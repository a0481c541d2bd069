"""Adapters: each package implements ports of the slices for one kind of external system."""
