"""The book compared with published prices and labor times; half of the first collection was held out."""

import sys
from collections import defaultdict

import pytest
from tests.published import Comparison, agreement, compared, published, shares, summary

LEAST = {
    # half, at least within 25%, at least within 50%
    ("prices", False): (0.85, 0.97),
    ("prices", True): (0.62, 0.87),
    ("hours", False): (0.85, 0.97),
    ("hours", True): (0.70, 0.92),
}


def half(name: str, *, reported: bool) -> list[Comparison]:
    return [one for one in compared(name) if one.published.is_reported is reported]


@pytest.mark.parametrize(("name", "least"), [("prices", 150), ("hours", 100)])
def test_there_are_enough_figures_and_half_of_them_are_held_out(name: str, least: int) -> None:
    rows = published(name)

    assert len(rows) >= least
    assert 0.4 < sum(one.is_reported for one in rows) / len(rows) < 0.6
    assert all(0 < one.low <= one.high and one.source and 2015 <= one.year <= 2026 for one in rows)


@pytest.mark.parametrize("name", ["prices", "hours"])
@pytest.mark.parametrize("reported", [False, True])
def test_book_is_in_the_middle_of_the_published_figures(
    name: str, *, reported: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = half(name, reported=reported)
    kinds = defaultdict(list)
    for row in rows:
        kinds[row.published.kind].append(row)
    with capsys.disabled():
        sys.stdout.write(f"\n{name}, {'kept apart' if reported else 'tuned on'}\n")
        for kind, own in [*sorted(kinds.items()), ("all", rows)]:
            count, middle, near, nearer = summary(own)
            sys.stdout.write(f"  {kind:32} {count:4} {middle:6.2f} {near:6.0%} {nearer:6.0%}\n")
    _, middle, within_25, within_50 = summary(rows)

    assert 0.93 <= middle <= 1.07
    assert (within_25, within_50) >= LEAST[name, reported]
    assert within_50 >= LEAST[name, reported][1]


@pytest.mark.parametrize(
    ("name", "least", "repairs"),
    [("prices_collected", 100, 55), ("prices_national", 100, 50), ("hours_collected", 15, 10)],
)
def test_later_collection_names_its_pages_and_uses_no_held_out_figure(
    name: str, least: int, repairs: int
) -> None:
    rows = published(name)
    apart = {one.source for one in published(name.split("_", maxsplit=1)[0]) if one.is_reported} - {
        "YourMechanic"
    }

    assert len(rows) >= least
    assert len({one.repair for one in rows}) >= repairs
    assert all(0 < one.low <= one.high and one.address and one.source not in apart for one in rows)


def test_older_prices_are_brought_to_the_books_year_by_the_price_index() -> None:
    old = next(one for one in published("prices_collected") if one.year == 2023 and one.low == one.high)

    assert old.middle > old.low
    assert {one.level for one in published("prices_collected") if one.year == 2025} == {1.0}


def test_book_agrees_with_the_later_collection() -> None:
    _, middle, within_25, within_50 = summary(compared("prices_collected"))

    assert 0.9 <= middle <= 1.15
    assert within_25 >= 0.5
    assert within_50 >= 0.8


def test_book_agrees_with_published_averages_nearly_as_they_agree_with_each_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    others, own = map(shares, agreement())
    with capsys.disabled():
        sys.stdout.write("\nnational averages of repairs that at least three sources have\n")
        for name, (count, middle, near, nearer) in (("the other sources", others), ("the book", own)):
            sys.stdout.write(f"  {name:32} {count:4} {middle:6.2f} {near:6.0%} {nearer:6.0%}\n")

    assert own[0] == others[0] >= 60
    assert 0.9 <= own[1] <= 1.15
    assert own[2] >= others[2] - 0.08
    assert own[3] >= others[3] - 0.08
