"""Limits: how many requests fit into a window, exactly."""
