"""Repairs named on the command line by slug, by id, or in words."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from repaircore_cli.terminal import print_note

if TYPE_CHECKING:
    from repaircore.book.model import Problem
    from repaircore.core import Core

T = TypeVar("T")

PROBLEM_HELP: Final = (
    "The repair: a slug or an id from `repaircore problems list`, or words such as 'front brake pads'."
)
_SHOWN: Final = 3


def repair(core: "Core", text: str) -> "Problem":
    """Return the repair that a text names.

    Raises:
        NotFound: it names none, or more than one; the message suggests the likely ones.
    """
    from repaircore.kernel.errors import NotFound

    found = core.problems.find(text) or _in_words(core, text)
    if found is None:
        raise NotFound(f"There is no repair {text!r}.{_hint(core, text)}")
    return found


def with_repairs(core: "Core", names: Sequence[str], call: Callable[[Sequence[str]], T]) -> T:
    """Call a function with the names of repairs as identifiers, then with those found by words.

    Raises:
        Invalid: as by the function; the likely repairs are added to the errors about unknown ones.
    """
    from repaircore.kernel.errors import Invalid

    try:
        return call(names)
    except Invalid as invalid:
        fields = dict(invalid.fields)
        unknown = [(field, place) for field in fields if (place := _place(field)) is not None]
        if not unknown:
            raise
        understood = {place: _in_words(core, names[place]) for _, place in unknown}
        if len(unknown) == len(fields) and all(understood.values()):
            slugs = [found.slug if (found := understood.get(n)) else name for n, name in enumerate(names)]
            return _call_for_vehicle(slugs, call)
        for field, place in unknown:
            hint = _hint(core, names[place]).strip()
            if hint:
                fields[field] = (*fields[field], hint)
        raise Invalid(fields) from None


def _call_for_vehicle(slugs: Sequence[str], call: Callable[[Sequence[str]], T]) -> T:
    """Call a function with repairs that were found by words; one that does not fit becomes the same work on the vehicle."""
    from repaircore.book.counterparts import are_same_work
    from repaircore.predictions.errors import ProblemDoesNotFit

    try:
        return call(slugs)
    except ProblemDoesNotFit as misfit:
        wrong = misfit.problem.slug
        other = next((one.slug for one in misfit.alternatives if are_same_work(wrong, one.slug)), None)
        if other is None or wrong not in slugs:
            raise
        print_note(f"Repair: on this vehicle it is {other}.")
        return _call_for_vehicle([other if slug == wrong else slug for slug in slugs], call)


def _place(field: str) -> int | None:
    """Return the position of the repair that an error field is about; None if it is about none."""
    first, _, rest = field.partition(".")
    if field == "problem_identifier":
        return 0
    number, _, last = rest.partition(".")
    return int(number) if (first, last) == ("lines", "problem_identifier") else None


def _in_words(core: "Core", text: str) -> "Problem | None":
    is_words = " " in text.strip() or text.strip().isalpha()
    found = core.problems.identify(text) if is_words else None
    if found is not None:
        print_note(f"Repair: {text!r} is taken as {found.slug}.")
    return found


def _hint(core: "Core", text: str) -> str:
    """Return a space and a sentence that suggests what was probably meant."""
    for category in core.problems.list_categories():
        if text in {str(category.id), category.slug}:
            first = core.problems.list_in_category(category.id)[0]
            return f" {category.name} is a main category; {first.slug} is a repair in it."
    if " " in text.strip() and core.problems.can_search(text):
        slugs = [hit.problem.slug for hit in core.problems.search(text, limit=_SHOWN)]
        return (
            f" Did you mean {', '.join(slugs[:-1]) + ' or ' * (len(slugs) > 1) + slugs[-1]}?" if slugs else ""
        )
    meant = core.problems.suggest(text)
    return f' Did you mean {meant.slug}? More: repaircore problems search "{text}"' if meant else ""
