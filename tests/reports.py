"""A report of a checked quote for tests."""

from datetime import date

from repaircore.shared_quotes.report import QuoteReport, ReportLine, ReportRange


def report() -> QuoteReport:
    """Make a report with a line that was compared, and another that was not."""
    return QuoteReport(
        vehicle="2003 Honda Accord",
        mechanics="2.4L 4-cylinder gasoline",
        place="CA",
        checked_on=date(2026, 1, 2),
        headline="1 line to question: $120.00 above what eight out of ten pay.",
        verdict="high",
        total=699_00,
        compared_total=579_00,
        expected=ReportRange(low=310_00, average=390_00, high=459_00),
        lines=(
            ReportLine(
                words="Front brake pads & rotors",
                kind="repair",
                total=579_00,
                parts_total=289_00,
                labor_hours=2.0,
                labor_rate=145_00,
                repairs=("Front Brake Pads",),
                verdict="high",
                text="Parts are $289.00 where we expect $120.00.",
                expected=ReportRange(low=310_00, average=390_00, high=459_00),
            ),
            ReportLine(
                words="Shop supplies",
                kind="supplies",
                total=120_00,
                verdict="unknown",
                text="Shop supplies are usually 5 to 10% of the labor.",
            ),
        ),
        questions=("Which brand are the pads?",),
    )
