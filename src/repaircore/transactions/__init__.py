"""Transactions: invoices of past repairs, and the evidence that they provide."""
