"""Pages to follow a job by a link: who comes, with which vehicle, where they are and when they arrive."""
