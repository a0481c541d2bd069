"""Vehicles: VINs, what they decode to, and the records kept of them."""
