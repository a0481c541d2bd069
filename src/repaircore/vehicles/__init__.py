"""Vehicles: VINs, what they decode to, and stored vehicles."""
