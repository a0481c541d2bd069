import pytest

from repaircore.kernel.cache import OneSlotCache


def test_value_of_an_edition_is_built_once() -> None:
    builds: list[str] = []
    cache = OneSlotCache[str]()

    def build() -> str:
        builds.append("x")
        return "x" * len(builds)

    assert [cache.get(edition, build) for edition in ("a", "a", "b", "b", "a")] == [
        "x",
        "x",
        "xx",
        "xx",
        "xxx",
    ]


def test_failure_is_not_cached() -> None:
    cache = OneSlotCache[float]()
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 / 0)
    assert cache.get("a", lambda: 1.0) == 1.0
