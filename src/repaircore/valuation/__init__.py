"""Valuation: the value of a vehicle, and its insurance risk."""
