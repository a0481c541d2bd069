"""Look up VINs, models, plates, recalls, connected cars and ZIP codes."""
