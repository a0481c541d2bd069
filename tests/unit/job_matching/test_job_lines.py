"""How well shops' job lines are matched: half of them were held out while the rules were written."""

from collections import Counter

import pytest
from bench.job_lines import LEFT, UNDERSTOOD, WRONG, counts, files_of, main, outcome_of
from bench.shop_exports.made_up import texts_of

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.job_matching.model import Match, Outcome
from repaircore.job_matching.repair_match import NOT_IN_BOOK, RepairMatcher

SLUGS = {problem.slug for problem in book().problems}
OTHER_LABELS = {"none", "other", "oil"}


@pytest.fixture(scope="module")
def matcher() -> RepairMatcher:
    return RepairMatcher(book().problems, job_names())


def count_outcomes(matcher: RepairMatcher, half: str) -> Counter[str]:
    lines = [line for file in files_of(half) for line in texts_of(file)]
    return counts(matcher, lines)


@pytest.mark.parametrize(
    ("half", "understood", "wrong", "left"),
    [("tuning", 0.92, 0.0115, 0.0045), ("held_out", 0.828, 0.042, 0.0275)],
)
def test_lines_are_matched_no_worse_than_before(
    matcher: RepairMatcher, half: str, understood: float, wrong: float, left: float
) -> None:
    found = count_outcomes(matcher, half)
    lines = found.total()

    assert sum(found[outcome] for outcome in UNDERSTOOD) >= understood * lines
    assert found[WRONG] <= wrong * lines
    assert found[LEFT] <= left * lines


def test_labels_are_repairs_of_the_book() -> None:
    labels = {
        label
        for half in ("tuning", "held_out")
        for file in files_of(half)
        for _, truth in texts_of(file)
        for label in truth.split(", ")
    }

    assert labels <= SLUGS | OTHER_LABELS


@pytest.mark.parametrize(
    ("match", "truth", "expected"),
    [
        (Match(outcome=Outcome.SURE, slug="muffler"), "muffler", "right"),
        (Match(outcome=Outcome.SURE, slug="muffler"), "muffler, exhaust-pipe", "wrong"),
        (Match(outcome=Outcome.UNMATCHED, is_repair=False), "none", "none"),
        (Match(outcome=Outcome.UNMATCHED, is_repair=False), "other", "wrong"),
        (Match(outcome=Outcome.UNMATCHED, is_repair=False, reason=NOT_IN_BOOK), "other", "other"),
        (Match(outcome=Outcome.UNMATCHED, is_repair=False, reason=NOT_IN_BOOK), "none", "none"),
        (Match(outcome=Outcome.UNMATCHED, is_repair=False, reason=NOT_IN_BOOK), "muffler", "wrong"),
        (Match(outcome=Outcome.UNMATCHED), "other", "shown"),
        (Match(outcome=Outcome.UNSURE, suggestions=("oil-change-synthetic",)), "oil", "shown"),
        (Match(outcome=Outcome.UNSURE, suggestions=("muffler",)), "exhaust-pipe", "left"),
        (Match(outcome=Outcome.SEVERAL, suggestions=("muffler", "exhaust-pipe")), "exhaust-pipe, muffler", "several"),
        (Match(outcome=Outcome.SEVERAL, suggestions=("oil-change", "tire-rotation")), "tire-rotation, oil", "several"),
    ],
)  # fmt: skip
def test_outcome_of_compares_a_match_with_the_truth(match: Match, truth: str, expected: str) -> None:
    assert outcome_of(match, truth) == expected


def test_command_prints_a_table_of_the_reported_half(capsys: pytest.CaptureFixture[str]) -> None:
    main([])

    head, *_, total = capsys.readouterr().out.splitlines()
    assert head.split() == [
        "file",
        "lines",
        "right",
        "several",
        "none",
        "other",
        "shown",
        "left",
        "wrong",
        "understood",
    ]
    assert total.startswith("all ")
