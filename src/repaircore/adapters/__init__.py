"""Adapters: each package implements the slices' ports for one kind of external system."""
