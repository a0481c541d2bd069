import pytest
from attrs import evolve
from tests.unit.quotes.test_comparison import UNTAUGHT

from repaircore.adapters.shipped.quote_charges import shipped_usual_charges
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.comparison import Difference, Factor, Verdict, assess
from repaircore.quotes.questions import about_misfit, line_questions, whole_questions

USUAL = evolve(UNTAUGHT, hours=1.2, rate=140_00, parts=86_00, low=150_00, average=254_00, high=400_00)


def questions_about(line: QuoteLine) -> tuple[str, ...]:
    return line_questions(line, LineKind.REPAIR, assess(line, USUAL), shipped_usual_charges())


@pytest.mark.parametrize(
    ("line", "question"),
    [
        (
            QuoteLine(total=576_00, labor_hours=3.5, labor_rate=140_00, parts_total=86_00),
            "Why 3.5 hours, when about 1.2 is usual?",
        ),
        (
            QuoteLine(total=326_00, labor_hours=1.2, labor_rate=200_00, parts_total=86_00),
            "Is $200 an hour your posted rate? About $140 is usual here.",
        ),
        (
            QuoteLine(total=468_00, labor_hours=1.2, labor_rate=140_00, parts_total=300_00),
            "What brand and grade are the parts for $300? About $86 is usual: is there a less expensive grade?",
        ),
        (
            QuoteLine(total=725_00),
            "How many hours of labor is this, at what hourly rate, and what do the parts cost?",
        ),
        (
            QuoteLine(total=90_00),
            "What grade are these parts, and is anything left out that will be added later?",
        ),
    ],
)
def test_line_questions_are_about_differences(line: QuoteLine, question: str) -> None:
    assert question in questions_about(line)


def test_line_questions_leave_a_usual_line_alone() -> None:
    assert (
        questions_about(QuoteLine(total=254_00, labor_hours=1.2, labor_rate=140_00, parts_total=86_00)) == ()
    )


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        (LineKind.REPAIR, "What exactly is done for “Tune up”"),
        (LineKind.PART, "Which repair is “Tune up” for"),
        (LineKind.DIAGNOSIS, "Is the diagnosis fee credited toward the repair"),
        (LineKind.TAX, "What is the tax rate"),
    ],
)
def test_line_questions_ask_about_unclear_lines(kind: LineKind, start: str) -> None:
    line = QuoteLine(total=100_00, kind=kind, description="Tune up")
    (question,) = line_questions(line, kind, None, shipped_usual_charges())

    assert question.startswith(start)


@pytest.mark.parametrize(
    ("kind", "words", "verdict", "starts"),
    [
        (LineKind.DIAGNOSIS, "Diagnosis", Verdict.FAIR, ["Is the diagnosis fee credited"]),
        (LineKind.DIAGNOSIS, "Diagnosis", Verdict.HIGH, ["Is the diagnosis fee credited", "How many hours of diagnosis"]),
        (LineKind.SUPPLIES, "Supplies", Verdict.FAIR, []),
        (LineKind.SUPPLIES, "Supplies", Verdict.VERY_HIGH, ["Which supplies"]),
        (LineKind.TAX, "Tax", Verdict.LOW, []),
        (LineKind.TAX, "Tax", Verdict.HIGH, ["What is the tax rate"]),
        (LineKind.FEE, "Core charge", Verdict.FAIR, ["Is the core charge"]),
        (LineKind.FEE, "Hazmat", Verdict.FAIR, []),
        (LineKind.FEE, "Administration", Verdict.FAIR, []),
        (LineKind.FEE, "Administration", Verdict.HIGH, ["What does this fee pay for"]),
    ],
)  # fmt: skip
def test_line_questions_ask_about_charges_that_are_high_or_come_back(
    kind: LineKind, words: str, verdict: Verdict, starts: list[str]
) -> None:
    line = QuoteLine(total=100_00, kind=kind, description=words)
    assessment = evolve(assess(QuoteLine(total=254_00), USUAL), verdict=verdict)
    found = line_questions(line, kind, assessment, shipped_usual_charges())

    assert [question[: len(start)] for question, start in zip(found, starts, strict=True)] == starts


@pytest.mark.parametrize(
    ("slugs", "verdict", "starts"),
    [
        (("brake-pads-front",), Verdict.FAIR, ["How long is the warranty"]),
        (("brake-pads-front", "brake-rotors-rear"), Verdict.FAIR, ["How long is the warranty"]),
        (("alternator",), Verdict.HIGH, ["How long is the warranty", "May I have the old parts back"]),
        (("brake-pads-rear", "brake-rotors-rear"), Verdict.LOW, ["New rear rotors come", "How long is the warranty"]),
    ],
)  # fmt: skip
def test_whole_questions_are_about_the_warranty_and_the_old_parts_of_a_high_price(
    slugs: tuple[str, ...], verdict: Verdict, starts: list[str]
) -> None:
    lines = [(QuoteLine(total=300_00), LineKind.REPAIR, slug) for slug in slugs]
    found = whole_questions(lines, verdict, read_quote("Front brake pads 300.00\nTotal 300.00"))

    assert [question[: len(start)] for question, start in zip(found, starts, strict=True)] == starts


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("Labor", "Which repairs is this labor for"),
        ("Repair", "What exactly is done for “Repair”"),
        ("Labor alternator", "What exactly is done for “Labor alternator”"),
    ],
)
def test_line_that_names_only_labor_asks_for_its_repairs(words: str, start: str) -> None:
    line = QuoteLine(total=100_00, description=words)
    (question,) = line_questions(line, LineKind.REPAIR, None, shipped_usual_charges())

    assert question.startswith(start)


def test_whole_questions_ask_about_sums_that_do_not_add_up() -> None:
    read = read_quote("Front brake pads 300.00\nTotal 329.00")
    found = whole_questions([(read.lines[0], LineKind.REPAIR, "brake-pads-front")], Verdict.FAIR, read)

    assert (
        found[0]
        == "The lines add up to $300.00, but the quote says $329.00: what accounts for the difference?"
    )
    assert "warranty" in found[1]


def test_whole_questions_ask_about_pads_that_come_with_rotors() -> None:
    line = QuoteLine(total=300_00)
    lines = [(line, LineKind.REPAIR, "brake-pads-front"), (line, LineKind.REPAIR, "brake-rotors-front")]

    assert "are the front pads charged twice?" in whole_questions(lines, Verdict.FAIR, None)[0]


def test_charges_alone_have_no_whole_questions() -> None:
    assert whole_questions([(QuoteLine(total=9_00), LineKind.TAX, None)], Verdict.FAIR, None) == ()


HOURS = (Factor.HOURS, 3.5, 1.2, 322_00)
PARTS = (Factor.PARTS, 300_00, 86_00, 214_00)
RATE = (Factor.RATE, 200_00, 140_00, 72_00)
OTHER = (Factor.OTHER, None, None, 40_00)
WHY_HOURS = "Why 3.5 hours, when about 1.2 is usual?"
WHICH_PARTS = (
    "What brand and grade are the parts for $300? About $86 is usual: is there a less expensive grade?"
)
WHICH_RATE = "Is $200 an hour your posted rate? About $140 is usual here."
WHAT_OTHER = "What is the $40 that is neither parts nor labor?"
WHICH_BRAND = "What brand are these parts, and is there a less expensive grade?"


def about(verdict: Verdict, *differences: tuple[Factor, float | None, float | None, int]) -> tuple[str, ...]:
    assessment = evolve(
        assess(QuoteLine(total=254_00), USUAL),
        verdict=verdict,
        differences=tuple(
            Difference(factor=factor, quoted=quoted, expected=usual, amount=amount)
            for factor, quoted, usual, amount in differences
        ),
    )
    return line_questions(QuoteLine(total=254_00), LineKind.REPAIR, assessment, shipped_usual_charges())


@pytest.mark.parametrize(
    ("verdict", "differences", "questions"),
    [
        (Verdict.FAIR, [], ()),
        (Verdict.LOW, [], ("What grade are these parts, and is anything left out that will be added later?",)),
        (
            Verdict.HIGH,
            [],
            ("How many hours of labor is this, at what hourly rate, and what do the parts cost?", WHICH_BRAND),
        ),
        (Verdict.FAIR, [HOURS], (WHY_HOURS,)),
        (Verdict.HIGH, [HOURS], (WHY_HOURS, WHICH_BRAND)),
        (Verdict.HIGH, [PARTS], (WHICH_PARTS,)),
        (Verdict.VERY_HIGH, [PARTS, HOURS], (WHY_HOURS, WHICH_PARTS)),
        (Verdict.HIGH, [OTHER, RATE, PARTS, HOURS], (WHY_HOURS, WHICH_PARTS, WHICH_RATE)),
        (Verdict.HIGH, [OTHER], (WHAT_OTHER, WHICH_BRAND)),
    ],
)  # fmt: skip
def test_line_questions_begin_with_the_largest_difference(
    verdict: Verdict,
    differences: list[tuple[Factor, float | None, float | None, int]],
    questions: tuple[str, ...],
) -> None:
    assert about(verdict, *differences) == questions


@pytest.mark.parametrize(
    ("factor", "quoted", "usual", "amount", "is_asked"),
    [
        (Factor.HOURS, 2.5, 2.0, 25_00, True),
        (Factor.HOURS, 2.5, 2.0, 24_99, False),
        (Factor.HOURS, 2.5, 2.0, -70_00, False),
        (Factor.HOURS, 2.49, 2.0, 70_00, False),
        (Factor.HOURS, 1.0, 0.9, 70_00, False),
        (Factor.HOURS, 0.5, 0.0, 70_00, True),
        (Factor.RATE, 115_00, 100_00, 25_00, True),
        (Factor.RATE, 114_99, 100_00, 25_00, False),
        (Factor.PARTS, 125_00, 100_00, 25_00, True),
        (Factor.PARTS, 124_99, 100_00, 25_00, False),
        (Factor.LABOR, 125_00, 100_00, 25_00, True),
        (Factor.LABOR, 124_99, 100_00, 25_00, False),
        (Factor.PARTS, None, None, 25_00, False),
        (Factor.OTHER, None, None, 25_00, True),
        (Factor.OTHER, None, None, 24_99, False),
    ],
)
def test_difference_is_questioned_from_25_dollars_and_a_share_of_what_is_usual(
    factor: Factor,
    quoted: float | None,
    usual: float | None,
    amount: int,
    is_asked: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert bool(about(Verdict.FAIR, (factor, quoted, usual, amount))) is is_asked


@pytest.mark.parametrize(
    ("words", "name"),
    [("  Tune \n up ", "“Tune up”"), ("", "“this line”")],
)
def test_question_about_work_that_the_vehicle_cannot_have_names_the_line(words: str, name: str) -> None:
    question = about_misfit(QuoteLine(total=100_00, description=words))

    assert question == f"Why is {name} on the quote, and is it meant for this vehicle?"


def test_whole_questions_are_at_most_four() -> None:
    slugs = ("brake-pads-front", "brake-rotors-front", "brake-pads-rear", "brake-rotors-rear")
    lines = [(QuoteLine(total=300_00), LineKind.REPAIR, slug) for slug in slugs]
    read = read_quote("Front brake pads 300.00\nTotal 329.00")
    found = whole_questions(lines, Verdict.HIGH, read)

    assert [question[:12] for question in found] == [
        "The lines ad",
        "New front ro",
        "New rear rot",
        "How long is ",
    ]


def test_repair_among_charges_has_a_warranty() -> None:
    lines = [
        (QuoteLine(total=300_00), LineKind.REPAIR, "alternator"),
        (QuoteLine(total=9_00), LineKind.TAX, None),
    ]

    assert [question[:12] for question in whole_questions(lines, Verdict.FAIR, None)] == ["How long is "]
