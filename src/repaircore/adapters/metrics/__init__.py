"""Figures of what happens, kept and told as Prometheus reads them."""
