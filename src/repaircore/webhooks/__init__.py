"""Webhooks: subscriptions to events, and signed deliveries with retries."""
