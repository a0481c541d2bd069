from uuid import UUID

import pytest

from repaircore.kernel.ids import uuid_of

TEXT = "01890000-0000-7000-8000-00000000000a"


@pytest.mark.parametrize("text", [TEXT, TEXT.upper()])
def test_a_uuid_is_read_in_its_usual_form(text: str) -> None:
    assert uuid_of(text) == UUID(TEXT)


@pytest.mark.parametrize(
    "odd",
    ["", TEXT.replace("-", ""), f"{{{TEXT}}}", f"{TEXT}\n", TEXT.replace("a", "\u0664"), 5, None, [TEXT]],
)
def test_everything_else_is_none(odd: object) -> None:
    assert uuid_of(odd) is None
