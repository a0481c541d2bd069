"""Recalls: safety campaigns, and which of them are open on a vehicle."""
