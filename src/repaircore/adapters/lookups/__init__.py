"""Lookups of VINs, models, plates, recalls, connected cars and ZIP codes."""
