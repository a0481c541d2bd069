"""Providers: what drivers and towing businesses, who come to a vehicle, have in common."""
