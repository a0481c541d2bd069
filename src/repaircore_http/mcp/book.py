"""The repair book as resources: a page of Markdown for each repair."""

from collections.abc import Iterable, Iterator
from typing import Final

from attrs import frozen

from repaircore.core import Core
from repaircore.kernel.money import dollars
from repaircore.repair_guides.model import ExamplePrice, RepairGuide

SCHEME: Final = "repaircore://repairs/"
MEDIA_TYPE: Final = "text/markdown"
_SHOWN: Final = 8


@frozen
class BookPage:
    """The resource for a repair's page: its URI, and the repair's slug and title."""

    uri: str
    slug: str
    title: str


def pages(core: Core) -> Iterator[BookPage]:
    """Yield the pages of all repairs, by category."""
    for category in core.repair_guides.list_categories():
        for problem in category.problems:
            yield BookPage(SCHEME + problem.slug, problem.slug, problem.display_name)


def page_text(core: Core, slug: str) -> str:
    """Return a repair's page.

    Raises:
        ProblemNotFound: there is no such repair.
    """
    return "\n".join(_lines(core.repair_guides.get(slug)))


def _lines(guide: RepairGuide) -> Iterator[str]:
    problem = guide.problem
    yield f"# {problem.display_name}"
    if problem.description:
        yield f"\n{problem.description}"
    yield f"\nUrgency: {problem.urgency}. Safe to drive: {problem.safe_to_drive}."
    yield from _section(f"Typical prices in {guide.place}", map(_price, guide.priced))
    yield from _section(
        "Signs", (f"{sign.name} ({sign.share:.0%} of such vehicles)" for sign in guide.symptoms[:_SHOWN])
    )
    yield from _section("Trouble codes", (f"{code.code}: {code.title}" for code in guide.codes[:_SHOWN]))
    yield from _section("Often followed by", (each.problem.display_name for each in guide.follows[:_SHOWN]))


def _price(example: ExamplePrice) -> str:
    price = example.job.price if example.job is not None else None
    if price is None:
        return example.example.kind
    average, low, high = (f"${dollars(cents):,.0f}" for cents in (price.average, price.low, price.high))
    return f"{example.example.kind}: {average} ({low} to {high})"


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    listed = [f"- {item}" for item in items]
    if listed:
        yield from (f"\n## {title}\n", *listed)
