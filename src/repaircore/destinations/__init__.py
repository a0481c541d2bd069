"""Another destination for a ride that has a provider: a new price, which the partner accepts before anybody pays it."""
