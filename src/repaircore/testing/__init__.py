"""Doubles and builders for tests of the library and of what embeds it."""
