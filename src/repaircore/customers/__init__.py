"""Customers: the people for whom partners order rides and book appointments."""
