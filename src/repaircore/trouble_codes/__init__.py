"""Trouble codes: what a vehicle's computers store when they detect a fault."""
