"""Metrics, in Prometheus' format."""
