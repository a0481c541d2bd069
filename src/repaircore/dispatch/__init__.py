"""Dispatch: ask providers near a ride in waves, take answers by link or key, and notify them of the outcome."""
