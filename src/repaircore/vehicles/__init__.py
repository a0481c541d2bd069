"""Vehicles: VINs and their decoding, license plates, and stored vehicles."""
