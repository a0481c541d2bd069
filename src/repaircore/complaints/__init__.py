"""Complaints: reading what owners write about their vehicles."""
