"""Rides from request to rating: mobile rides, which drivers do, and tow rides, which towing businesses do."""
