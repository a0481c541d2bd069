"""Predictions: what a repair will cost, asked, remembered, rated and held against invoices."""
