"""Trouble codes: what the computers of a vehicle store when something is out of bounds."""
