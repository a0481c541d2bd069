"""Service schedules: plan services, see what is due, and complete them."""
