"""Which addresses belong together."""


def is_under(path: str, prefix: str) -> bool:
    """Tell whether a path is a prefix itself, or whole segments beneath it: ``/console2`` is not under ``/console``."""
    return path.startswith(prefix) and path[len(prefix) :][:1] in {"", "/"}
