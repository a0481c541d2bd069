"""Change the destination of a ride that has a provider, at a new price that the partner accepts first."""
