"""Texts as people type them."""


def stripped(text: str | None) -> str | None:
    """Return a text without the white space around it; None when nothing is left."""
    return None if text is None else text.strip() or None
