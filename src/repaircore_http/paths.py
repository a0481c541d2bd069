"""Path prefixes."""


def is_under(path: str, prefix: str) -> bool:
    """Return whether a path is the prefix, or below it by whole segments: ``/console2`` is not under ``/console``."""
    return path.startswith(prefix) and path[len(prefix) :][:1] in {"", "/"}
