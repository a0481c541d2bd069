"""Fleets: the vehicles of an owner, and the signals that they report."""
