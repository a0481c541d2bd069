"""Rides, from request to rating: mobile rides, which drivers come to, and tow rides, which towing businesses do."""
