"""Valuation: what a vehicle is worth, and how likely it is to cost its insurer much."""
