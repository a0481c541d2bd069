"""Persons: everything that is kept about one, handed over or erased."""
