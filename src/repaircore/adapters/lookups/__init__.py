"""Look-ups: VINs, models, plates, recalls, connected cars and ZIP codes."""
