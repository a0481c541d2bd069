"""Vehicle facts: the mechanical facts about a VIN or a model, and how they affect the price of a repair."""
