"""The form that asks for an estimate, and the repair that is meant in it.

Everything that can be asked or looked up on its page is one form: whoever has a VIN found keeps what else they typed.
"""

from collections.abc import Sequence
from typing import Final

from flask.typing import ResponseReturnValue

from repaircore.book.model import Problem
from repaircore.problems.fusion import SearchHit
from repaircore_http.console.forms import form_if_any
from repaircore_http.console.pages import faults, show
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
"""The texts of the form, which come along wherever it is sent to."""

_RECENT: Final = 5
_LONGEST_WORDS: Final = 500
_LONGEST_NAME: Final = 100
_YEAR_DIGITS: Final = 4


def shown() -> ResponseReturnValue:
    """Show the form, and the newest estimates."""
    return offered()


def offered(*, vin: str = "", vehicle: str | None = None) -> str:
    """Show the form, with the VIN of a vehicle that was found in it."""
    recent = core().past_predictions.page(number=1, per_page=_RECENT, caller=caller())
    chosen = _chosen()
    sold = next_choices(typed_text("year"), typed_text("make"), typed_text("model"))
    return show(
        "estimate_form.html",
        recent=recent,
        vin=vin,
        vehicle=vehicle,
        # What is chosen stands where it can be read and changed; nothing counts that does not.
        words=typed_text("problem") if chosen is None else chosen.display_name,
        choices=_choices() if faults("problem") else (),
        sold=sold,
        engine=chosen_engine(),
        engines=sold["engines"] if faults("engine") else (),
    )


def next_choices(year: str, make: str, model: str) -> dict[str, Sequence[str]]:
    """List years, makes, models and engines that may be chosen, each by what was chosen before it."""
    served = core()
    chosen = int(year) if year.isascii() and year.isdecimal() and len(year) == _YEAR_DIGITS else None
    make, model = make[:_LONGEST_NAME], model[:_LONGEST_NAME]
    return {
        "years": [str(one) for one in served.catalog.list_years()],
        "makes": served.catalog.list_makes(chosen),
        "models": served.catalog.list_models(make, chosen) if make else (),
        "engines": served.vehicles.engine_choices(chosen, make, model) if chosen and make and model else (),
    }


def typed_text(name: str) -> str:
    """Give what was typed in a field of the form, "" where none was sent."""
    sent = form_if_any()
    return "" if sent is None else sent.text(name).strip()


def has_typed(*names: str) -> bool:
    """Tell whether something was typed in one of the fields."""
    return any(typed_text(name) for name in names)


def chosen_engine() -> str | None:
    """Give the engine that was picked out of a list; None when the words have changed since, as the list was for others."""
    picked = typed_text("chosen_engine")
    return picked if picked and typed_text("engine_chosen_for") == typed_text("engine") else None


def repair() -> Problem | None:
    """Give the repair that was chosen for the words in the form, or that they name exactly; else None."""
    return _chosen() or _named(typed_text("problem"))


def which_repair() -> str:
    """Say what to do where no single repair is meant."""
    if not typed_text("problem"):
        return "The repair field is required."
    return "Choose the repair that is meant." if _choices() else "No repair is called so. Try other words."


def _chosen() -> Problem | None:
    """Give the repair that was picked out of a list; None when the words have changed since, as the list was for others."""
    identifier = typed_text("problem_identifier")
    if not identifier or typed_text("chosen_for") != typed_text("problem"):
        return None
    return core().problems.find(identifier)


def _named(words: str) -> Problem | None:
    """Give the repair with this id, slug or whole name."""
    served = core().problems
    name = _folded(words)
    return served.find(words) or next(
        (one for one in served.list_all() if _folded(one.display_name) == name), None
    )


def _folded(name: str) -> str:
    """Give a name as it compares: pages write another arrow than the book does."""
    return " ".join(name.replace("›", " > ").replace(">", " > ").casefold().split())


def _choices() -> Sequence[SearchHit]:
    """Give the repairs that the words in the form may mean."""
    words, served = typed_text("problem")[:_LONGEST_WORDS], core().problems
    return [] if served.validate(query=words) else served.search(words, limit=OFFERED)
