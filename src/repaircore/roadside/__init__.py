"""Roadside jobs, from request to rating: mobile rides, to which a driver comes, and tows, to which a business does."""
