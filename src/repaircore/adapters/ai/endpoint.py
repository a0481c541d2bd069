"""URLs of API operations, derived from the URL that an operator configured."""

from urllib.parse import urlsplit, urlunsplit


def endpoint(url: str, *, version: str, operation: str) -> str:
    """Return the URL of an operation.

    ``https://host`` and ``https://host/v1`` become ``https://host/v1/messages``; a URL that already ends with the
    operation is unchanged. A query string is preserved.

    Args:
        url: the configured URL.
        version: the path that follows a bare host, such as ``/v1``.
        operation: the path of the operation below the version, such as ``/messages``.
    """
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if not path.endswith(operation):
        path += operation if path else version + operation
    return urlunsplit(parts._replace(path=path, fragment=""))
