"""The revisions, numbered from the oldest."""
