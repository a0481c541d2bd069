import pytest

from repaircore.kernel.cache import OneSlotCache


def test_what_an_edition_is_made_into_is_made_once() -> None:
    made: list[str] = []
    shelf = OneSlotCache[str]()

    def make() -> str:
        made.append("x")
        return "x" * len(made)

    assert [shelf.get(edition, make) for edition in ("a", "a", "b", "b", "a")] == [
        "x",
        "x",
        "xx",
        "xx",
        "xxx",
    ]


def test_failure_is_not_held() -> None:
    shelf = OneSlotCache[float]()
    with pytest.raises(ZeroDivisionError):
        shelf.get("a", lambda: 1 / 0)
    assert shelf.get("a", lambda: 1.0) == 1.0
