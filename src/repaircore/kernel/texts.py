"""Text as people type it."""


def stripped(text: str | None) -> str | None:
    """Return the text without surrounding white space, or None if nothing is left."""
    return None if text is None else text.strip() or None
