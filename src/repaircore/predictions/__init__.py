"""Predictions: what a repair will cost; cached, rated and compared with invoices."""
