"""Dispatch: ask providers near a ride in waves, accept answers by link or key, and notify them of the outcome."""
