"""Proofs of jobs: photos and signatures that a provider takes at pickup and dropoff, for the partner."""
