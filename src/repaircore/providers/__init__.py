"""Providers: the common parts of drivers and towing businesses, who come to a vehicle."""
