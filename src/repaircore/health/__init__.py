"""Vehicle health: a score from signals, recalls, services and trouble codes."""
