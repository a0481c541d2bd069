"""Price models: the offline ones, and clients of two protocols."""
