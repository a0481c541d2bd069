"""Drivers who come to a vehicle: the directory that mobile rides are offered to."""
