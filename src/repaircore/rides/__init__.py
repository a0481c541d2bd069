"""Rides, from request to rating: mobile rides, done by drivers, and tow rides, done by towing businesses."""
