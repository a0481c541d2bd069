"""Quotes: whether a shop's price is fair."""
