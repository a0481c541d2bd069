"""Vehicle facts: the mechanics behind a VIN or a model's name, and what they mean for a repair."""
