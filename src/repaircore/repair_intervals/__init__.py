"""Repair intervals: when a repair is needed again, and which repairs follow it."""
