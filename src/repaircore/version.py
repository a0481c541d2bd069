"""The version of the distribution, read by the build and by nobody else."""

__version__ = "0.1.0"
