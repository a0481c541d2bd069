"""Find repairs that are named on the command line by slug, by id or in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from repaircore_cli.terminal import print_note

if TYPE_CHECKING:
    from repaircore.book.model import Problem
    from repaircore.core import Core
    from repaircore.kernel.profile import VehicleProfile

T = TypeVar("T")

PROBLEM_HELP: Final = (
    "The repair: a slug or an id from `repaircore problems list`, or words such as 'front brake pads'."
)
_SHOWN: Final = 3


def repair(core: "Core", text: str) -> "Problem":
    """Return the repair that ``text`` names.

    Raises:
        NotFound: it names no repair, or more than one; the message suggests likely ones.
    """
    from repaircore.kernel.errors import NotFound

    found = core.problems.find(text) or _in_words(core, text)
    if found is None:
        raise NotFound(f"There is no repair {text!r}.{_hint(core, text)}")
    return found


def with_repairs(
    core: "Core",
    names: Sequence[str],
    call: Callable[[Sequence[str]], T],
    profile: "Callable[[], VehicleProfile]",
) -> T:
    """Call a function with the named repairs; if some are unknown, retry with the repairs that their words describe.

    ``profile`` looks up the vehicle. If the words for an oil change name no oil, the vehicle's usual one is used.

    Raises:
        Invalid: raised by the function; the errors about unknown repairs suggest likely ones.
        ProblemDoesNotFit: a repair does not fit the vehicle, and no other one is the same work.
    """
    from repaircore.kernel.errors import Invalid

    try:
        return call(names)
    except Invalid as invalid:
        fields = dict(invalid.fields)
        unknown = [(field, place) for field in fields if (place := _place(field)) is not None]
        if not unknown:
            raise
        understood = {place: _in_words(core, names[place], profile) for _, place in unknown}
        if len(unknown) == len(fields) and all(understood.values()):
            slugs = [found.slug if (found := understood.get(n)) else name for n, name in enumerate(names)]
            return _call_for_vehicle(slugs, call)
        for field, place in unknown:
            hint = _hint(core, names[place]).strip()
            if hint:
                fields[field] = (*fields[field], hint)
        raise Invalid(fields) from None


def _call_for_vehicle(slugs: Sequence[str], call: Callable[[Sequence[str]], T]) -> T:
    """Call a function with repairs; if one does not fit the vehicle, retry with the repair for the same work on it."""
    from repaircore.book.counterparts import are_same_work
    from repaircore.predictions.errors import ProblemDoesNotFit

    try:
        return call(slugs)
    except ProblemDoesNotFit as misfit:
        wrong = misfit.problem.slug
        other = next(
            (
                alternative.slug
                for alternative in misfit.alternatives
                if are_same_work(wrong, alternative.slug)
            ),
            None,
        )
        if other is None or wrong not in slugs:
            raise
        print_note(f"Repair: on this vehicle, that is {other}.")
        return _call_for_vehicle([other if slug == wrong else slug for slug in slugs], call)


def _place(field: str) -> int | None:
    """Return the position of the repair that an error field is about, or None if it is not about a repair."""
    first, _, rest = field.partition(".")
    if field == "problem_identifier":
        return 0
    number, _, last = rest.partition(".")
    return int(number) if (first, last) == ("lines", "problem_identifier") else None


def _in_words(
    core: "Core", text: str, profile: "Callable[[], VehicleProfile] | None" = None
) -> "Problem | None":
    is_words = " " in text.strip() or text.strip().isalpha()
    found = core.problems.identify(text) if is_words else None
    if is_words and profile is not None:
        found = _on_vehicle(core, text, found, profile)
    if found is not None:
        print_note(f"Repair: using {found.slug} for {text!r}.")
    return found


def _on_vehicle(
    core: "Core", text: str, found: "Problem | None", profile: "Callable[[], VehicleProfile]"
) -> "Problem | None":
    """Return the repair that ``text`` means, or None if there is none.

    For an oil change that names no oil, this is the usual one for the vehicle.
    """
    from repaircore.book.oil_changes import CONVENTIONAL, likeliest_oil_change
    from repaircore.quotes.line_match import names_any_oil_change

    is_other = found is not None and found.slug != CONVENTIONAL
    if is_other or not names_any_oil_change(text):
        return found
    return core.problems.find(likeliest_oil_change(profile())) or found


def profile_of_vin(core: "Core", vin: str) -> "VehicleProfile":
    """Return the profile of the vehicle with this VIN, from which rules decide whether a repair fits.

    Raises:
        Invalid: on ``vin``.
        VehicleNotFound: the VIN is unknown.
    """
    return core.vehicles.decode(vin).profile


def profile_of_specs(core: "Core", specs: Mapping[str, Any]) -> "VehicleProfile":
    """Return the profile of a vehicle by its specs; raises the same errors as an estimate for it."""
    named = {name: specs[name] for name in ("year", "make", "model", "trim", "engine")}
    return core.vehicles.match_unsaved(**named).vehicle.specs.profile


def _hint(core: "Core", text: str) -> str:
    """Return a space and a sentence that suggests what was probably meant, or "" if there is no suggestion."""
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
