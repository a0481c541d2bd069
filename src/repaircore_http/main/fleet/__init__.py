"""Fleets: what an owner of vehicles asks of them; one module per question."""
