"""Complaints: understanding what owners write about their vehicles."""
