"""Payments: held when an offer is accepted, taken at completion, released or given back at cancellation."""
