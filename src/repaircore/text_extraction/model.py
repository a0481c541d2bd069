"""The kinds of documents that text can be read from."""

from enum import StrEnum


class DocumentFormat(StrEnum):
    """A kind of file that text can be read from."""

    PHOTO = "photo"
    PDF = "pdf"
