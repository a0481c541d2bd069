from uuid import UUID

import pytest

from repaircore.kernel.ids import parse_uuid

TEXT = "01890000-0000-7000-8000-00000000000a"


@pytest.mark.parametrize("text", [TEXT, TEXT.upper()])
def test_uuid_is_read_in_its_usual_form(text: str) -> None:
    assert parse_uuid(text) == UUID(TEXT)


@pytest.mark.parametrize(
    "odd",
    ["", TEXT.replace("-", ""), f"{{{TEXT}}}", f"{TEXT}\n", TEXT.replace("a", "\u0664"), 5, None, [TEXT]],
)
def test_everything_else_is_none(odd: object) -> None:
    assert parse_uuid(odd) is None
