"""Frozen values and failures that every slice shares."""
