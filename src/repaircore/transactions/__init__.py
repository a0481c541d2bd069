"""Transactions: invoices of past repairs, and the evidence that they add up to."""
