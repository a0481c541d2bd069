"""Eight made-up exports in the layouts of different shop systems, drawn from the texts of this folder.

A line of a text file is what a service writer typed, and the repair that it is: a slug, ``several``, or ``none`` where it is no
repair of the book. Vehicles, dates and prices are drawn with a seed. No row is of a real shop or car.
"""

import csv
import io
import json
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random

from attrs import frozen

from repaircore.adapters.shipped.book import book
from repaircore.vehicles import vin as vins

TUNED = ("counter", "lines", "summary")
"""The exports that the rules were written with."""
SEEN = ("byjob", "records", "dealer", "tickets", "nested", "corner")
"""The exports that were reported once, when the rules had not seen them: what was matched wrongly was then looked at."""

FRESH = ("late",)
"""The exports that were written after the rules, and only looked at to report."""

SEVERAL = "several"
NONE = "none"

_CARS = (
    ("1HGCM826", "3A", "Honda", "Accord", 2003),
    ("1FTEW1E5", "KF", "Ford", "F-150", 2019),
    ("3FA6P0RU", "KR", "Ford", "Fusion", 2019),
    ("1FMCU9J9", "FU", "Ford", "Escape", 2015),
    ("3N1AB7AP", "JY", "Nissan", "Sentra", 2018),
    ("2GNFLFEK", "H6", "Chevrolet", "Equinox", 2017),
    ("5NPD84LF", "HH", "Hyundai", "Elantra", 2017),
    ("1C4PJMBX", "KD", "Jeep", "Cherokee", 2019),
)
_DIESEL = ("", "", "Volkswagen", "Jetta", 2012)
_RATE = 145
_PART_WORDS = {"rotor": "BRAKE ROTOR", "pad": "PAD SET", "filter": "FILTER", "fluid": "FLUID", "oil": "OIL"}


@frozen(kw_only=True)
class Job:
    """A job of an invoice: its words, the repair that it is, and its prices in dollars."""

    text: str
    truth: str
    hours: float
    parts: tuple[tuple[str, int, float], ...]

    @property
    def labor(self) -> float:
        return round(self.hours * _RATE, 2)

    @property
    def in_parts(self) -> float:
        return round(sum(count * price for _, count, price in self.parts), 2)


@frozen(kw_only=True)
class Order:
    """A repair order."""

    number: int
    day: date
    vin: str
    make: str
    model: str
    year: int
    miles: int
    jobs: tuple[Job, ...]


@frozen(kw_only=True)
class Export:
    """A file, and the truth of each of its lines that names work: the repair's slug, ``several`` or ``none``."""

    name: str
    content: bytes
    truth: dict[int, str]


def exports() -> tuple[Export, ...]:
    """Return the exports."""
    return tuple(_LAYOUTS[name](name) for name in (*TUNED, *SEEN, *FRESH))


def texts(name: str) -> list[tuple[str, str]]:
    """Return the texts of an export with the repair of each."""
    return texts_of(Path(__file__).parent / f"{name}.txt")


def texts_of(file: Path) -> list[tuple[str, str]]:
    """Return the texts of a file with what each is."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [(text, truth) for text, _, truth in (line.rpartition(" | ") for line in lines)]


def _job(dice: Random, text: str, truth: str) -> Job:
    problem = {found.slug: found for found in book().problems}.get(truth)
    if problem is None:
        hours, price = round(dice.uniform(0.3, 4), 1), round(dice.uniform(0, 400), 2)
        return Job(text=text, truth=truth, hours=hours, parts=(("MISC PART", 1, price),))
    hours = max(0.1, round(problem.labor_hours * dice.lognormvariate(0.05, 0.15), 1))
    parts = tuple(
        (part.name.upper(), part.quantity, round(part.price / 100 * dice.lognormvariate(0, 0.15), 2))
        for part in problem.parts
    )
    return Job(text=text, truth=truth, hours=hours, parts=parts)


def _orders(name: str, *, most_jobs: int) -> list[Order]:
    dice = Random(f"shop exports {name}")  # noqa: S311 - a simulation
    jobs = [_job(dice, text, truth) for text, truth in texts(name)]
    dice.shuffle(jobs)
    orders, day, number = [], date(2025, 1, 6), 41_200
    while jobs:
        count = min(len(jobs), dice.randint(1, most_jobs))
        taken, jobs = jobs[:count], jobs[count:]
        is_diesel = any("diesel" in job.truth or "glow" in job.truth for job in taken)
        begins, ends, make, model, year = _DIESEL if is_diesel else dice.choice(_CARS)
        day += timedelta(days=dice.randint(0, 5))
        number += dice.randint(1, 9)
        orders.append(
            Order(
                number=number,
                day=day,
                vin=_vin(begins, ends, dice.randrange(1_000_000)) if begins else "",
                make=make,
                model=model,
                year=year,
                miles=dice.randint(20_000, 170_000),
                jobs=tuple(taken),
            )
        )
    return orders


def _vin(begins: str, ends: str, serial: int) -> str:
    return next(
        vin for digit in "0123456789X" if vins.check_digit_holds(vin := f"{begins}{digit}{ends}{serial:06}")
    )


def _written(rows: Sequence[Sequence[object]], delimiter: str = ",") -> str:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    return buffer.getvalue()


def _counter(name: str) -> Export:
    """One row per job under two titles; the money with dollar signs."""
    rows: list[list[object]] = [
        ["Main Street Auto - Job History"],
        ["From 01/01/2025 to 12/31/2025"],
        [],
        ["RO #", "Date Closed", "Customer", "Yr", "Make", "Model", "VIN", "Odometer", "Job Description",
         "Labor Hrs", "Labor $", "Parts $", "Job Total"],
    ]  # fmt: skip
    truth = {}
    for order in _orders(name, most_jobs=3):
        for job in order.jobs:
            rows.append(
                [order.number, f"{order.day:%m/%d/%Y}", f"CUST {order.number % 97}", order.year, order.make,
                 order.model, order.vin, f"{order.miles:,}", job.text, job.hours, f"${job.labor:,.2f}",
                 f"${job.in_parts:,.2f}", f"${job.labor + job.in_parts:,.2f}"]
            )  # fmt: skip
            truth[len(rows)] = job.truth
    return Export(name=f"{name}.csv", content=_written(rows).encode("utf-8-sig"), truth=truth)


def _lines(name: str) -> Export:
    """One row per line, with its type, separated by semicolons; the jobs of an order one after the other."""
    rows: list[list[object]] = [
        [
            "InvoiceNo",
            "InvDate",
            "Vehicle",
            "VIN",
            "Miles In",
            "LineType",
            "Desc",
            "Qty",
            "Price",
            "Ext",
            "Hrs",
        ]
    ]
    truth = {}
    for order in _orders(name, most_jobs=1):
        head = [order.number, f"{order.day:%-m/%-d/%y}", f"{order.year} {order.make} {order.model}", order.vin,
                order.miles]  # fmt: skip
        for job in order.jobs:
            rows.append([*head, "L", job.text, "", "", f"{job.labor:.2f}", job.hours])
            truth[len(rows)] = job.truth
            rows += [
                [*head, "P", part, count, f"{price:.2f}", f"{count * price:.2f}", ""]
                for part, count, price in job.parts
            ]
        rows.append([*head, "F", "SHOP SUPPLIES", 1, "9.50", "9.50", ""])
        rows.append([*head, "T", "SALES TAX", "", "", "14.12", ""])
    return Export(name=f"{name}.csv", content=_written(rows, ";").encode(), truth=truth)


def _summary(name: str) -> Export:
    """One row per order, tab separated, in UTF-16; all its work in one cell."""
    rows: list[list[object]] = [
        [
            "Invoice",
            "Inv. Date",
            "Year/Make/Model",
            "Mileage",
            "Work Performed",
            "Labor",
            "Parts",
            "Tax",
            "Grand Total",
        ]
    ]
    truth = {}
    for order in _orders(name, most_jobs=1):
        (job,) = order.jobs
        tax = round(job.in_parts * 0.0625, 2)
        rows.append(
            [order.number, f"{order.day:%Y-%m-%d}", f"{order.year} {order.make} {order.model}", order.miles,
             job.text, f"{job.labor:.2f}", f"{job.in_parts:.2f}", f"{tax:.2f}",
             f"{job.labor + job.in_parts + tax:.2f}"]
        )  # fmt: skip
        truth[len(rows)] = job.truth
    return Export(name=f"{name}.txt", content=_written(rows, "\t").encode("utf-16"), truth=truth)


def _byjob(name: str) -> Export:
    """A workbook with one row per line, and a letter for the job that it belongs to."""
    from openpyxl import Workbook  # noqa: PLC0415 - of an extra

    workbook = Workbook()
    sheet = workbook.create_sheet("Orders", 0)
    sheet.append(["Repair Orders"])
    sheet.append([])
    sheet.append(
        [
            "Order",
            "Opened",
            "Closed",
            "Unit",
            "VIN",
            "Miles Out",
            "Job",
            "Type",
            "Description",
            "Units",
            "Amount",
        ]
    )
    truth, line = {}, 3
    for order in _orders(name, most_jobs=3):
        for letter, job in zip("ABC", order.jobs, strict=False):
            head = [order.number, order.day, order.day + timedelta(days=1),
                    f"{order.year} {order.make} {order.model}", order.vin, order.miles, letter]  # fmt: skip
            sheet.append([*head, "LABOR", job.text, job.hours, job.labor])
            line += 1
            truth[line] = job.truth
            for part, count, price in job.parts:
                sheet.append([*head, "PART", part, count, round(count * price, 2)])
                line += 1
        sheet.append([*head[:6], "", "FEE", "Hazardous waste disposal", 1, 4.5])
        line += 1
    buffer = io.BytesIO()
    workbook.save(buffer)
    return Export(name=f"{name}.xlsx", content=buffer.getvalue(), truth=truth)


def _records(name: str) -> Export:
    """JSON lines, one per job."""
    lines, truth = [], {}
    for order in _orders(name, most_jobs=2):
        for job in order.jobs:
            lines.append(
                json.dumps(
                    {
                        "ro_number": str(order.number),
                        "closed_at": f"{order.day}T16:20:00",
                        "vehicle": {
                            "vin": order.vin or None,
                            "year": order.year,
                            "make": order.make,
                            "model": order.model,
                        },
                        "odo_km": round(order.miles * 1.609),
                        "line_notes": job.text,
                        "labor_sale": job.labor,
                        "parts_sale": job.in_parts,
                        "billed_hours": job.hours,
                    }
                )
            )
            truth[len(lines)] = job.truth
    return Export(name=f"{name}.jsonl", content="\n".join(lines).encode(), truth=truth)


def _dealer(name: str) -> Export:
    """The columns of a dealer's system in cp1252; amounts of returns in parentheses."""
    rows: list[list[object]] = [
        ["REPAIR ORDER", "CLOSE DATE", "VIN", "MODEL YR", "MAKE", "CARLINE", "MILEAGE IN", "OPCODE", "OPERATION DESC",
         "TECH", "LBR HRS", "LBR AMT", "PTS AMT", "STORE ZIP", "ADVISOR NAME"]
    ]  # fmt: skip
    truth = {}
    for order in _orders(name, most_jobs=3):
        for job in order.jobs:
            rows.append(
                [f"R{order.number}", f"{order.day:%d-%b-%Y}".upper(), order.vin, order.year, order.make.upper(),
                 order.model.upper(), order.miles, f"{len(job.text) * 7% 90:02}HOZ", job.text, 4711, job.hours,
                 f"{job.labor:,.2f}", f"{job.in_parts:,.2f}", "02139", "RENÉE"]
            )  # fmt: skip
            truth[len(rows)] = job.truth
    return Export(name=f"{name}.csv", content=_written(rows).encode("cp1252"), truth=truth)


def _tickets(name: str) -> Export:
    """One row per job between bars, the day first, with decimal commas."""
    rows: list[list[object]] = [
        ["Ticket", "Date", "Vehicle", "KM", "Service", "Hours", "Labour", "Parts", "Shop Zip"]
    ]
    truth = {}
    for order in _orders(name, most_jobs=2):
        for job in order.jobs:
            amounts = [
                f"{amount:,.2f}".translate(str.maketrans(",.", ".,")) for amount in (job.labor, job.in_parts)
            ]
            rows.append(
                [order.number, f"{order.day:%d/%m/%Y}", f"{order.make} {order.model} {order.year}",
                 round(order.miles * 1.609), job.text, str(job.hours).replace(".", ","), *amounts, "14201"]
            )  # fmt: skip
            truth[len(rows)] = job.truth
    return Export(name=f"{name}.csv", content=_written(rows, "|").encode(), truth=truth)


def _nested(name: str) -> Export:
    """JSON lines, one per order, with a list of its jobs."""
    lines, truth = [], {}
    for number, order in enumerate(_orders(name, most_jobs=1), 1):
        (job,) = order.jobs
        jobs = [
            {
                "desc": job.text,
                "labor_hours": job.hours,
                "labor_total": job.labor,
                "parts_total": job.in_parts,
            }
        ]
        lines.append(
            json.dumps({
                "invoice_no": order.number, "invoice_date": f"{order.day:%B %d, %Y}", "customer": {"name": "Fleet"},
                "unit": {"model_year": order.year, "make": order.make, "model": order.model, "vin": order.vin, "odometer": order.miles},
                "jobs": jobs,
            })
        )  # fmt: skip
        truth[number] = job.truth
    return Export(name=f"{name}.jsonl", content="\n".join(lines).encode(), truth=truth)


_LAYOUTS: dict[str, Callable[[str], Export]] = {
    "counter": _counter,
    "lines": _lines,
    "summary": _summary,
    "byjob": _byjob,
    "records": _records,
    "dealer": _dealer,
    "tickets": _tickets,
    "nested": _nested,
    "corner": _counter,
    "late": _counter,
}
