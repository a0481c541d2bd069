"""Estimates: what a repair will cost on a vehicle in a place, and how sure that is."""
