"""The text that an agent reads besides the data of a result: a few lines, with the figures first."""

from collections.abc import Iterable

from repaircore.diagnosis.views import NOTHING_READ
from repaircore.kernel.wording import counted
from repaircore.predictions.model import WARNING_TEXTS
from repaircore.predictions.views import PredictionSummaryView
from repaircore.quotes.views import CheckedQuoteView
from repaircore.recalls.views import RecallsView
from repaircore.trouble_codes.views import TroubleCodeView
from repaircore.visits.views import VisitEstimateView
from repaircore_http.mcp.views import (
    ConsultationView,
    DescribedVehicleView,
    RepairsFoundView,
)

_SHOWN = 5


def estimate_text(found: PredictionSummaryView) -> str:
    """Return what a repair costs, and what that is based on."""
    lines = [
        f"{found.problem.display_name} on a {found.vehicle} at {found.zip_code}: about {_money(found.average_total)}.",
        f"Eight out of ten pay {_money(found.low_total)} to {_money(found.high_total)}.",
        f"{found.labor_hours:g} h of labor at {_money(found.labor_rate)} is {_money(found.labor_total)}.",
        f"Parts are {_money(found.parts_total)}.",
        f"It is based on {counted(found.sample_size, 'local invoice')}."
        if found.sample_size
        else "There are no local invoices; it is based on the repair book.",
    ]
    lines += [text for text in (found.fit.reason, found.red_flag_reason) if text]
    return "\n".join([*lines, *_warnings(found.warnings)])


def visit_text(found: VisitEstimateView) -> str:
    """Return the total of a visit with its lines, and what shared labor saves."""
    totals = found.totals
    lines = [
        f"{counted(len(found.lines), 'line')} on a {found.vehicle.display_name}: about {_money(totals.average_total)}.",
        f"Eight out of ten such visits cost {_money(totals.low_total)} to {_money(totals.high_total)}.",
        *(
            f"- {line.description}: {_money(line.average_total)}"
            + (f" ({_money(line.saved)} saved)" if line.saved else "")
            for line in found.lines
        ),
    ]
    if totals.saved:
        lines.append(f"Shared labor and parts save {_money(totals.saved)}.")
    if totals.sales_tax is not None:
        lines.append(f"Sales tax: {_money(totals.sales_tax.amount)}. {totals.sales_tax.text}")
    return "\n".join([*lines, *_warnings(found.warnings)])


def quote_text(found: CheckedQuoteView) -> str:
    """Return the verdict on the whole quote and on each line, and what to ask the shop."""
    lines = [found.whole.headline]
    lines += [
        f"- {line.description or (line.problem.display_name if line.problem else line.kind)}:"
        f" {_money(line.quoted.total)}, {line.verdict}. {line.reason.text}"
        for line in found.lines
    ]
    return "\n".join([*lines, *_listed("Ask the shop:", found.whole.questions), *_warnings(found.warnings)])


def diagnosis_text(found: ConsultationView) -> str:
    """Return any dangers first, then the likely repairs and the next question."""
    lines = [warning.text for warning in found.safety.warnings]
    if found.safety.stop_driving and found.safety.towing:
        lines.append(found.safety.towing)
    if found.nothing_read:
        return "\n".join([*lines, NOTHING_READ])
    for each in found.recommendations[:_SHOWN]:
        price = "" if not each.estimate else f", about {_money(each.estimate.average_total_estimate)} here"
        lines.append(f"- {each.confidence:g}%: {each.problem.display_name} ({each.problem.slug}){price}")
    if found.question is not None:
        lines.append(
            f"To find out more, ask the driver: {found.question.text} (question {found.question.id})"
        )
    return "\n".join(lines)


def code_text(found: TroubleCodeView) -> str:
    """Return the meaning of a code and its likeliest repairs."""
    causes = [
        f"{cause.problem.display_name} ({cause.problem.slug}), {cause.likelihood:g}%"
        for cause in found.causes[:_SHOWN]
    ]
    return "\n".join([f"{found.code}: {found.title}. {found.meaning}", *_listed("Likely repairs:", causes)])


def recalls_text(found: RecallsView) -> str:
    """Return safety warnings, the number of recall campaigns, and what each is about."""
    if not found.recalls:
        return "No recall campaign is known for this make, model and year. " + " ".join(
            _warnings(found.warnings)
        )
    warnings = [
        text
        for is_said, text in (
            (found.park_it, "Do not drive it until it is repaired."),
            (found.park_outside, "Park it outside."),
        )
        if is_said
    ]
    campaigns = [
        f"{each.campaign}: {each.component or each.summary or 'no description'}" for each in found.recalls
    ]
    number = counted(len(found.recalls), "recall campaign")
    heading = (
        f"{number} for this make, model and year; only the manufacturer knows which of them cover this VIN:"
    )
    return "\n".join([*warnings, *_listed(heading, campaigns)])


def vehicle_text(found: DescribedVehicleView) -> str:
    """Return a vehicle's name, engine, drive and body, and a warning if its VIN is probably mistyped."""
    engine = found.engine.name if found.engine else " or ".join(found.possible_engines) or "engine unknown"
    facts = [engine, found.powertrain, found.drive, found.body]
    text = f"{found.display_name}: " + ", ".join(str(fact) for fact in facts if fact)
    return (
        text
        if found.vin_check_digit_holds is not False
        else f"{text}\nThe VIN's check digit is wrong: it is probably mistyped."
    )


def repairs_text(found: RepairsFoundView) -> str:
    """Return the repairs that were found, with their slugs."""
    if not found.repairs:
        return "No repair was found. Try other words."
    return "\n".join(f"- {hit.display_name} ({hit.slug})" for hit in found.repairs)


def _warnings(codes: Iterable[str]) -> list[str]:
    return [WARNING_TEXTS.get(code, code) for code in codes]


def _money(amount: float) -> str:
    return f"−${-amount:,.2f}" if amount < 0 else f"${amount:,.2f}"


def _listed(heading: str, items: Iterable[str]) -> list[str]:
    listed = [f"- {item}" for item in items]
    return [heading, *listed] if listed else []
