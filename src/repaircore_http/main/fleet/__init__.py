"""Fleets: one module per resource of a vehicle."""
