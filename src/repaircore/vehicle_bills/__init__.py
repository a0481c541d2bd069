"""Bills that an owner has paid for a vehicle of the garage, at any shop."""
