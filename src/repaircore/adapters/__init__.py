"""Adapters: each implements ports of the other packages for one kind of external system."""
