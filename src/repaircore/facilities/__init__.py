"""Facilities: shops, the regions around them, and what an hour of labor costs there."""
