"""Providers, who come to a vehicle: what drivers and towing businesses have in common."""
