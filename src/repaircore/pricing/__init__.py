"""Pricing: what a repair costs on a vehicle in a place, as pure rules over the book and the evidence."""
