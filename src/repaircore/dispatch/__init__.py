"""Dispatch: providers near a ride are asked in waves, answer by a link or a key, and hear whether they were chosen."""
