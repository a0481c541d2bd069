"""Towing businesses: the directory that tow rides are offered to."""
