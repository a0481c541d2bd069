"""The form for an estimate: what was typed, and the choices that it offers.

The whole page is one form, so that looking up a VIN keeps everything else that was typed.
"""

from collections.abc import Sequence
from typing import Any, Final

from flask.typing import ResponseReturnValue

from repaircore.book.model import Problem
from repaircore.kernel.paging import PageRequest
from repaircore.problems.fusion import SearchHit
from repaircore_http.console.forms import form_if_any
from repaircore_http.console.pages import field_errors, show
from repaircore_http.console.repairs import OFFERED
from repaircore_http.core import core
from repaircore_http.guards import caller

FIELDS: Final = (
    *("vin", "year", "make", "model", "engine"),
    *("chosen_engine", "engine_chosen_for"),
    *("problem", "problem_identifier", "chosen_for"),
    *("zip_code", "mileage"),
    *("plate", "state"),
)
"""The form's text fields, which every submission includes."""

QUERY: Final = ("year", "make", "model", "engine", "problem", "zip_code", "mileage")
"""The fields that the query string may fill in; a VIN never appears in an address."""

_RECENT: Final = 5
_LONGEST_WORDS: Final = 500
_LONGEST_NAME: Final = 100
_YEAR_DIGITS: Final = 4


def show_form() -> ResponseReturnValue:
    """Show the form, and the newest estimates."""
    return render_form()


def render_form(*, vin: str = "", vehicle: str | None = None) -> str:
    """Return the form's page, filled in with the VIN of the vehicle that was found, if any."""
    known, served = caller(), core()
    return show(
        "estimate_form.html",
        recent=served.past_predictions.page(request=PageRequest(per_page=_RECENT), caller=known),
        has_plates=served.lookups.can_find_plates(known),
        has_photos=served.vehicles.can_read_photos,
        **form_values(vin=vin, vehicle=vehicle),
    )


def form_values(*, vin: str = "", vehicle: str | None = None) -> dict[str, Any]:
    """Return what the fields of the form show: what was typed, and the available choices."""
    chosen = _chosen_repair() or core().problems.find(typed_text("problem"))
    choices = next_choices(typed_text("year"), typed_text("make"), typed_text("model"))
    return {
        "vin": vin,
        "vehicle": vehicle,
        # A choice is shown in the text field, where it can be read and changed; hidden fields are ignored.
        "words": typed_text("problem") if chosen is None else chosen.display_name,
        "repairs": _matching_repairs() if field_errors("problem") else (),
        "choices": choices,
        "engine": chosen_engine(),
        "engines": choices["engines"] if field_errors("engine") else (),
    }


def next_choices(year: str, make: str, model: str) -> dict[str, Sequence[str]]:
    """List the years, makes, models and engines to choose from, each narrowed by the choices before it."""
    served = core()
    number = int(year) if year.isascii() and year.isdecimal() and len(year) == _YEAR_DIGITS else None
    make, model = make[:_LONGEST_NAME], model[:_LONGEST_NAME]
    return {
        "years": [str(known) for known in served.catalog.list_years()],
        "makes": served.catalog.list_makes(number),
        "models": served.catalog.list_models(make, number) if make else (),
        "engines": served.vehicles.engine_choices(number, make, model) if number and make and model else (),
    }


def typed_text(name: str) -> str:
    """Return the text of a field of the form, or "" if no form was sent."""
    sent = form_if_any()
    return "" if sent is None else sent.text(name).strip()


def has_typed(*names: str) -> bool:
    """Return whether anything was typed in one of the fields."""
    return any(typed_text(name) for name in names)


def chosen_engine() -> str | None:
    """Return the engine that was chosen from the list, or None if none was, or the text has changed since."""
    chosen = typed_text("chosen_engine")
    return chosen if chosen and typed_text("engine_chosen_for") == typed_text("engine") else None


def find_repair() -> Problem | None:
    """Return the repair that was chosen for the words in the form, or that they name exactly, or None."""
    return _chosen_repair() or _named_repair(typed_text("problem"))


def repair_error() -> str:
    """Return the error message for words that do not name exactly one repair."""
    if not typed_text("problem"):
        return "Enter the repair, or what is wrong."
    return (
        "Choose the repair that you mean."
        if _matching_repairs()
        else "No repair matches these words. Try different ones, such as “brakes” or “battery”."
    )


def _chosen_repair() -> Problem | None:
    """Return the repair that was chosen from a list, or None if none was, or the words have changed since."""
    identifier = typed_text("problem_identifier")
    if not identifier or typed_text("chosen_for") != typed_text("problem"):
        return None
    return core().problems.find(identifier)


def _named_repair(words: str) -> Problem | None:
    """Return the repair with this id, slug or full name, or the only one with this name in any category, or None."""
    problems = core().problems
    name = _folded(words)
    named = [problem for problem in problems.list_all() if _folded(problem.name) == name]
    return (
        problems.find(words)
        or next((problem for problem in problems.list_all() if _folded(problem.display_name) == name), None)
        or (named[0] if len(named) == 1 else None)
    )


def _folded(name: str) -> str:
    """Return a name normalized for comparison: pages use a different arrow than the book does."""
    return " ".join(name.replace("›", " > ").replace(">", " > ").casefold().split())


def _matching_repairs() -> Sequence[SearchHit]:
    """List the repairs that the words in the form may mean."""
    words, problems = typed_text("problem")[:_LONGEST_WORDS], core().problems
    return problems.search(words, limit=OFFERED) if problems.can_search(words) else []
