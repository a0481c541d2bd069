"""The version of the distribution, read only by the build."""

__version__ = "0.1.0"
