"""The machine that an installation runs on."""
