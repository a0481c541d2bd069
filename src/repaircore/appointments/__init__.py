"""Appointments with mechanics, and the pickup of the vehicle."""
