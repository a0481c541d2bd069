"""Diagnosis: from what an owner notices to the repairs that explain it."""
