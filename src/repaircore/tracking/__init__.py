"""Tracking: follow a ride by a link that shows the provider, the vehicle, the position and the arrival."""
