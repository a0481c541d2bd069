"""Diagnosis: find the repairs that explain what an owner notices."""
