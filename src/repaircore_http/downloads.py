"""Files that are sent piece by piece."""

from collections.abc import Iterator
from itertools import chain
from urllib.parse import quote

from flask import Response

from repaircore.tasks.model import TaskFile


def download(file: TaskFile, content: Iterator[bytes]) -> Response:
    """Return a response that downloads a file.

    If the file is deleted while it is being sent, the response is cut short.

    Raises:
        TaskFileGone: the file was deleted.
    """
    first = next(content, b"")  # an error raised here can still become a response
    answer = Response(chain([first], content), content_type=_content_type(file.media_type))
    answer.content_length = file.size
    answer.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.name)}"
    return answer


def _content_type(media_type: str) -> str:
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
