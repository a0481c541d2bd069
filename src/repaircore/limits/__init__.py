"""Rate limits: sliding windows, exact across all workers."""
