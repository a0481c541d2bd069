"""Visits: several repairs on one vehicle in one estimate."""
