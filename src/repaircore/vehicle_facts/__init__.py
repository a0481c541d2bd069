"""Vehicle facts: the mechanics of a VIN or a model, and their effect on a repair."""
