"""Clean up text that people type."""


def stripped(text: str | None) -> str | None:
    """Return the text without surrounding whitespace, or None if nothing is left."""
    return None if text is None else text.strip() or None
