"""Appointments: booked with mechanics for customers, moved, cancelled, and followed while the vehicle is picked up."""
