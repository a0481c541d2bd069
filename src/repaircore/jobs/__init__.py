"""What is done beside requests, from time to time: each job by one process at a time."""
