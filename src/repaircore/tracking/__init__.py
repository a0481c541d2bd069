"""Tracking pages to follow a job by a link: the provider, the vehicle, the position and the arrival."""
