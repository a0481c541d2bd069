from uuid import UUID

import pytest

from repaircore.kernel.ids import parse_uuid

TEXT = "01890000-0000-7000-8000-00000000000a"


@pytest.mark.parametrize("text", [TEXT, TEXT.upper()])
def test_parse_uuid_reads_the_usual_form(text: str) -> None:
    assert parse_uuid(text) == UUID(TEXT)


@pytest.mark.parametrize(
    "value",
    ["", TEXT.replace("-", ""), f"{{{TEXT}}}", f"{TEXT}\n", TEXT.replace("a", "\u0664"), 5, None, [TEXT]],
)
def test_parse_uuid_returns_none_for_anything_else(value: object) -> None:
    assert parse_uuid(value) is None
