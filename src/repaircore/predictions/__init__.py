"""Predictions of the cost of a repair: cached, rated and compared with invoices."""
