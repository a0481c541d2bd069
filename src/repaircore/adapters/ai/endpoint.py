"""Find the address of an operation from what an operator configured."""

from urllib.parse import urlsplit, urlunsplit


def endpoint(url: str, *, version: str, operation: str) -> str:
    """Complete an address.

    ``https://host`` becomes ``https://host/v1/messages``, ``https://host/v1`` alike; what already ends
    with the operation stays as it is. A query is kept.

    Args:
        url: the configured address.
        version: the path that follows a bare host, ``/v1``.
        operation: the path of the operation below the version, ``/messages``.
    """
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if not path.endswith(operation):
        path += operation if path else version + operation
    return urlunsplit(parts._replace(path=path, fragment=""))
