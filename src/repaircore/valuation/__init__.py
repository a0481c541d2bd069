"""Valuation: the market value of a vehicle, and its insurance risk."""
