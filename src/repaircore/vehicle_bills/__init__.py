"""Vehicle bills: what an owner has paid for a vehicle in the garage, at any shop."""
