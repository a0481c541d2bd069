"""File descriptors to hand to child processes."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def as_file(content: BinaryIO) -> Iterator[int]:
    """Yield the descriptor of a file with ``content``; content in memory is copied to an unnamed temporary file."""
    try:
        descriptor = content.fileno()
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as copy:
            content.seek(0)
            shutil.copyfileobj(content, copy)
            copy.seek(0)
            yield copy.fileno()
        return
    content.flush()
    os.lseek(descriptor, 0, os.SEEK_SET)
    yield descriptor
