"""Fleet: what an owner of vehicles wants to know of them beside the price of a repair."""
