"""Fleets: what an owner of vehicles must know of them, beginning with recalls."""
