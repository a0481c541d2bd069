"""Health of an installation: the checkup, readiness, and metrics of its queues."""
