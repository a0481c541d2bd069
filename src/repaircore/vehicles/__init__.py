"""Vehicles: VINs, decoding them, and stored vehicles."""
