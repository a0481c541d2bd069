"""Proofs of jobs: photos and signatures that a provider takes at the pickup and at the dropoff, for the partner."""
