"""Responses that show documents as PDF files."""

import re
from typing import Final

from flask import Response

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9-]+", re.ASCII)


def pdf_reply(number: str, pdf: bytes) -> Response:
    """Return a PDF response; browsers display it, and save it under the number of the document."""
    name = _NO_NAME.sub("-", number)
    answer = Response(pdf, content_type="application/pdf")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    return answer
