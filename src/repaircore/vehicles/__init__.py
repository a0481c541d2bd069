"""Vehicles: VINs, their decoding, and stored vehicles."""
