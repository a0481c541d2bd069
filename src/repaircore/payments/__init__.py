"""Payments: authorized when an offer is accepted, captured at completion, voided or refunded at cancellation."""
