"""Visits: several repairs of one vehicle in one estimate."""
