"""Repair guides: everything about a repair that is the same for all visitors, with prices for example vehicles."""
