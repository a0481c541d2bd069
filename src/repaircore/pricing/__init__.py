"""Pricing: what a repair costs on a vehicle in a place, computed purely from the book and the evidence."""
