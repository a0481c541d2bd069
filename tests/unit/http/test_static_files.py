"""Static files: their addresses, and what these show after an upgrade."""

from pathlib import Path

import pytest
from werkzeug.exceptions import NotFound

from repaircore_http.static_files import StaticFiles


@pytest.fixture
def style(tmp_path: Path) -> Path:
    file = tmp_path / "page.css"
    file.write_bytes(b"body { color: black }")
    return file


def test_static_file_is_served_at_its_digest(style: Path) -> None:
    files = StaticFiles.load([style])

    response = files.response(files.digest("page.css"), "page.css")

    assert response.data == b"body { color: black }"
    assert response.content_type == "text/css; charset=utf-8"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("name", ["page.css", "other.css"])
def test_unknown_digest_or_name_is_not_found(style: Path, name: str) -> None:
    with pytest.raises(NotFound):
        StaticFiles.load([style]).response("0123456789abcdef", name)


def test_replaced_file_is_not_served_at_the_old_digest(style: Path) -> None:
    files = StaticFiles.load([style])
    style.write_bytes(b"body { color: white }")

    with pytest.raises(NotFound):
        files.response(files.digest("page.css"), "page.css")
