"""Authorize payments when an offer is accepted, capture them at completion, and void or refund them at cancellation."""
