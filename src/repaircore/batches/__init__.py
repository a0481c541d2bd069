"""Batches of predictions."""
