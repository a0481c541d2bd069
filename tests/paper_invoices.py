"""Twenty invoices on paper with what they say, in three layouts: as PDFs, and as pictures of pages."""

from collections.abc import Iterator, Sequence
from datetime import date
from io import BytesIO
from typing import Final

from attrs import frozen
from PIL import Image, ImageDraw, ImageFont
from tests import papers

from repaircore.vehicles.vin import check_digit_holds

_WIDTH: Final = 1700
_HEIGHT: Final = 2200
_MOST_ROWS: Final = 62


@frozen(kw_only=True)
class PaperPart:
    """A part on paper: its words, and the price of all pieces in cents."""

    name: str
    quantity: int
    price: int

    @property
    def total(self) -> int:
        return self.quantity * self.price


@frozen(kw_only=True)
class PaperJob:
    """A job on paper: its words and the repair that it is."""

    text: str
    slug: str
    hours: float
    parts: tuple[PaperPart, ...] = ()

    @property
    def parts_total(self) -> int:
        return sum(part.total for part in self.parts)


@frozen(kw_only=True)
class PaperInvoice:
    """An invoice on paper. ``charges`` are fees, and discounts below zero; ``misprint`` is added to the printed total."""

    layout: str
    shop: str
    street: str
    city: str
    zip_code: str
    number: str
    day: date
    vehicle: tuple[int, str, str]
    vin: str | None
    odometer: int
    rate: int
    jobs: tuple[PaperJob, ...]
    charges: tuple[tuple[str, str, int], ...]
    tax_percent: float
    misprint: int = 0

    def labor(self, job: PaperJob) -> int:
        return round(job.hours * self.rate)

    def job_total(self, job: PaperJob) -> int:
        return self.labor(job) + job.parts_total

    @property
    def subtotal(self) -> int:
        return sum(map(self.job_total, self.jobs)) + sum(amount for _, _, amount in self.charges)

    @property
    def tax(self) -> int:
        return round(sum(job.parts_total for job in self.jobs) * self.tax_percent / 100)

    @property
    def total(self) -> int:
        return self.subtotal + self.tax

    @property
    def printed_total(self) -> int:
        return self.total + self.misprint


Cell = tuple[float, str]
"""Where a text begins, as a share of the page's width; a negative place is where it ends."""


def rows_of(invoice: PaperInvoice) -> Sequence[Sequence[Cell]]:
    """Return the rows of the page."""
    rows = [*_LAYOUTS[invoice.layout](invoice)]
    assert len(rows) <= _MOST_ROWS
    return rows


def as_pdf(invoice: PaperInvoice) -> bytes:
    """Write the page as a shop's program prints it."""
    shown = []
    for number, row in enumerate(rows_of(invoice)):
        for left, text in row:
            escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            x = left * 612 if left >= 0 else -left * 612 - 4.8 * len(text)
            shown.append(f"BT /F1 9 Tf 1 0 0 1 {x:.1f} {760 - 12 * number} Tm ({escaped}) Tj ET")
    return papers.pdf(["\n".join(shown).encode("latin-1")])


def as_picture(invoice: PaperInvoice) -> bytes:
    """Draw the page, and return it as a scanner's JPEG."""
    page = Image.new("L", (_WIDTH, _HEIGHT), 252)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(25)
    for number, row in enumerate(rows_of(invoice)):
        y = 70 + number * 34
        for left, text in row:
            x = left * _WIDTH if left >= 0 else -left * _WIDTH - draw.textlength(text, font)
            draw.text((x, y), text, 15, font)
    file = BytesIO()
    page.save(file, "JPEG", quality=88)
    return file.getvalue()


def _money(cents: int) -> str:
    return f"-${-cents / 100:,.2f}" if cents < 0 else f"${cents / 100:,.2f}"


def _plain(cents: int) -> str:
    return f"{cents / 100:,.2f}"


def _vehicle(invoice: PaperInvoice) -> str:
    return " ".join(map(str, invoice.vehicle))


def _table(invoice: PaperInvoice) -> Iterator[Sequence[Cell]]:
    """Yield a table with a row for each job, its labor and its parts in columns of their own."""
    yield [(0.06, invoice.shop), (0.66, "INVOICE")]
    yield [(0.06, invoice.street), (0.66, f"Invoice #: {invoice.number}")]
    yield [(0.06, f"{invoice.city} {invoice.zip_code}"), (0.66, f"Date: {invoice.day:%m/%d/%Y}")]
    yield [(0.06, "Phone (555) 201-7788")]
    yield []
    yield [(0.06, f"Vehicle: {_vehicle(invoice)}"), (0.5, f"Mileage: {invoice.odometer:,}")]
    if invoice.vin:
        yield [(0.06, f"VIN: {invoice.vin}"), (0.5, "License: ABC1234")]
    yield []
    yield [(0.06, "Description"), (-0.58, "Hours"), (-0.7, "Labor"), (-0.82, "Parts"), (-0.94, "Total")]
    for job in invoice.jobs:
        labor, parts = invoice.labor(job), job.parts_total
        yield [
            (0.06, job.text),
            (-0.58, f"{job.hours:.2f}"),
            (-0.7, _plain(labor)),
            (-0.82, _plain(parts)),
            (-0.94, _plain(labor + parts)),
        ]
    for text, _, amount in invoice.charges:
        yield [(0.06, text), (-0.94, _plain(amount))]
    yield []
    yield [(0.6, "Subtotal"), (-0.94, _money(invoice.subtotal))]
    yield [(0.6, f"Sales Tax ({invoice.tax_percent:g}%)"), (-0.94, _money(invoice.tax))]
    yield [(0.6, "Total"), (-0.94, _money(invoice.printed_total))]
    yield []
    yield [(0.06, "All parts are new unless stated. Warranty 12 months or 12,000 miles.")]


def _jobs(invoice: PaperInvoice) -> Iterator[Sequence[Cell]]:
    """Yield each job as a section: its labor, its parts and its total."""
    yield [(0.36, invoice.shop)]
    yield [(0.3, f"{invoice.street}, {invoice.city} {invoice.zip_code}")]
    yield []
    yield [
        (0.06, f"Repair Order {invoice.number}"),
        (0.6, f"Completed: {invoice.day:%b} {invoice.day.day}, {invoice.day.year}"),
    ]
    yield [(0.06, _vehicle(invoice)), (0.6, f"Odometer In: {invoice.odometer}")]
    if invoice.vin:
        yield [(0.06, f"VIN {invoice.vin}")]
    yield []
    for number, job in enumerate(invoice.jobs, 1):
        yield [(0.06, f"Job {number}: {job.text}")]
        yield [
            (0.1, f"Labor {job.hours:.1f} hrs @ {_money(invoice.rate)}/hr"),
            (-0.92, _money(invoice.labor(job))),
        ]
        for part in job.parts:
            yield [
                (0.1, part.name),
                (0.6, f"{part.quantity} @ {_money(part.price)}"),
                (-0.92, _money(part.total)),
            ]
        yield [(0.1, f"Job {number} total"), (-0.92, _money(invoice.job_total(job)))]
        yield []
    for text, _, amount in invoice.charges:
        yield [(0.06, text), (-0.92, _money(amount))]
    yield [(0.06, f"Tax {invoice.tax_percent:g}% on parts"), (-0.92, _money(invoice.tax))]
    yield [(0.06, "TOTAL DUE"), (-0.92, _money(invoice.printed_total))]
    yield []
    yield [(0.06, "Thank you for your business!")]


def _lists(invoice: PaperInvoice) -> Iterator[Sequence[Cell]]:
    """Yield rows of labor and of parts with quantity, price and amount, those of a job under one another."""
    yield [(0.06, invoice.shop.upper())]
    yield [(0.06, invoice.street)]
    yield [(0.06, f"{invoice.city} {invoice.zip_code}")]
    yield []
    yield [(0.06, "Invoice No"), (0.3, "Invoice Date"), (0.5, "Odometer"), (0.68, "VIN")]
    yield [
        (0.06, invoice.number),
        (0.3, f"{invoice.day.month}/{invoice.day.day}/{invoice.day:%y}"),
        (0.5, f"{invoice.odometer:,}"),
        (0.68, invoice.vin or ""),
    ]
    yield [(0.06, f"Year/Make/Model: {_vehicle(invoice)}")]
    yield []
    yield [(0.06, "Qty"), (0.14, "Description"), (-0.76, "Price"), (-0.92, "Amount")]
    for job in invoice.jobs:
        yield [
            (0.06, f"{job.hours:.2f}"),
            (0.14, f"Labor - {job.text}"),
            (-0.76, _plain(invoice.rate)),
            (-0.92, _plain(invoice.labor(job))),
        ]
        for part in job.parts:
            yield [
                (0.06, f"{part.quantity:.2f}"),
                (0.14, part.name),
                (-0.76, _plain(part.price)),
                (-0.92, _plain(part.total)),
            ]
    for text, _, amount in invoice.charges:
        yield [(0.06, "1.00"), (0.14, text), (-0.76, _plain(amount)), (-0.92, _plain(amount))]
    yield []
    yield [(0.56, "Sub Total"), (-0.92, _money(invoice.subtotal))]
    yield [(0.56, "Tax"), (-0.92, _money(invoice.tax))]
    yield [(0.56, "Invoice Total"), (-0.92, _money(invoice.printed_total))]
    yield [(0.56, "Paid VISA"), (-0.92, _money(invoice.printed_total))]


_LAYOUTS: Final = {"table": _table, "jobs": _jobs, "lists": _lists}


def _with_digit(masked: str) -> str:
    return next(vin for digit in "0123456789X" if check_digit_holds(vin := masked.replace("?", digit)))


_CARS: Final = (
    ((2015, "Toyota", "Camry"), "4T1BF1FK?FU033210"),
    ((2003, "Honda", "Accord"), "1HGCM826?3A004352"),
    ((2016, "Ford", "F-150"), "1FTEW1EP?GFD12345"),
    ((2016, "Toyota", "RAV4"), "2T3RFREV?GW412345"),
    ((2015, "Hyundai", "Sonata"), "5NPE24AF?FH123456"),
    ((2018, "Chevrolet", "Malibu"), "1G1ZD5ST?JF123456"),
    ((2010, "Mazda", "Mazda3"), "JM1BL1SF?A1123456"),
    ((2014, "Nissan", "Altima"), "1N4AL3AP?EC123456"),
    ((2016, "Subaru", "Outback"), "4S4BSACC?G3234567"),
    ((2015, "Jeep", "Grand Cherokee"), "1C4RJFAG?FC123456"),
    ((2016, "Honda", "Civic"), "2HGFC2F5?GH512345"),
    ((2015, "Volkswagen", "Jetta"), "3VW2K7AJ?FM212345"),
)
_SHOPS: Final = (
    ("Ada's Auto Repair", "1200 Main Street", "Springfield, IL", "62701"),
    ("Lakeview Motors & Tire", "48 W Belmont Ave", "Chicago, IL", "60657"),
    ("Desert Star Automotive", "3901 E Thomas Rd", "Phoenix, AZ", "85018"),
    ("North End Garage", "77 Salem St", "Boston, MA", "02113"),
    ("Bayou Brake and Muffler", "610 Canal Blvd", "Houston, TX", "77002"),
    ("Evergreen Car Care", "2215 Pine St", "Seattle, WA", "98101"),
)


def _part(name: str, price: int, quantity: int = 1) -> PaperPart:
    return PaperPart(name=name, quantity=quantity, price=price)


def _job(text: str, slug: str, hours: float, *parts: PaperPart) -> PaperJob:
    return PaperJob(text=text, slug=slug, hours=hours, parts=parts)


_WORK: Final = (
    _job("Replace front brake pads", "brake-pads-front", 1.2, _part("Front brake pad set", 7495)),
    _job("Alternator replacement", "alternator", 2.1, _part("Alternator, remanufactured", 32900)),
    _job("Full synthetic oil change", "oil-change-synthetic", 0.5, _part("Synthetic oil 0W-20, quart", 899, 5), _part("Oil filter", 1150)),
    _job("R&R water pump", "water-pump", 3.0, _part("Water pump", 16800), _part("Coolant, gallon", 2450, 2)),
    _job("Replace spark plugs", "spark-plugs", 1.1, _part("Iridium spark plug", 1475, 4)),
    _job("Starter motor R&R", "starter-motor", 1.8, _part("Starter motor, remanufactured", 21999)),
    _job("Serpentine belt", "serpentine-belt", 0.8, _part("Serpentine belt", 4295)),
    _job("Replace front wheel bearing and hub", "wheel-bearing-front", 2.0, _part("Front wheel hub and bearing", 13850)),
    _job("Four wheel alignment", "wheel-alignment", 1.0),
    _job("Replace thermostat", "thermostat", 1.3, _part("Thermostat with seal", 5420), _part("Coolant, gallon", 2450)),
    _job("Radiator replacement", "radiator", 2.7, _part("Radiator", 28900), _part("Coolant, gallon", 2450, 2)),
    _job("Replace front struts", "struts-front", 2.6, _part("Front strut assembly", 16450, 2)),
    _job("Coolant flush", "coolant-flush", 0.9, _part("Coolant, gallon", 2450, 2)),
    _job("Valve cover gasket", "valve-cover-gasket", 1.7, _part("Valve cover gasket set", 4980)),
    _job("Replace right front CV axle", "cv-axle", 1.6, _part("CV axle shaft", 14275)),
    _job("Fuel pump module", "fuel-pump", 2.4, _part("Fuel pump module", 31250)),
    _job("Rear brake pads", "brake-pads-rear", 1.1, _part("Rear brake pad set", 6895)),
    _job("Upstream oxygen sensor", "oxygen-sensor-upstream", 0.8, _part("Upstream oxygen sensor", 9845)),
    _job("Tire rotation", "tire-rotation", 0.3),
    _job("Cabin air filter", "cabin-air-filter", 0.2, _part("Cabin air filter", 2295)),
)  # fmt: skip
_CHARGES: Final = (
    (("Shop supplies", "supplies", 1495),),
    (("Hazardous waste disposal fee", "fee", 450), ("Shop supplies", "supplies", 2250)),
    (("Shop supplies", "supplies", 1875), ("Coupon $20 off", "discount", -2000)),
    (),
)
_RATES: Final = (11500, 13500, 14950, 16000, 12800)


def _invoice(number: int) -> PaperInvoice:
    shop, street, city, zip_code = _SHOPS[number % len(_SHOPS)]
    vehicle, masked = _CARS[number % len(_CARS)]
    count = 1 + number % 3
    return PaperInvoice(
        layout=("table", "jobs", "lists")[number % 3 if number < 18 else number % 2],
        shop=shop,
        street=street,
        city=city,
        zip_code=zip_code,
        number=str(20417 + 37 * number),
        day=date(2025, 1 + number % 12, 3 + number),
        vehicle=vehicle,
        vin=None if number in {4, 13} else _with_digit(masked),
        odometer=48_210 + 3_417 * number,
        rate=_RATES[number % len(_RATES)],
        jobs=tuple(_WORK[(3 * number + 7 * place) % len(_WORK)] for place in range(count)),
        charges=_CHARGES[number % len(_CHARGES)],
        tax_percent=(8.25, 6.25, 10.25)[number % 3],
        misprint=4000 if number in {7, 16} else 0,
    )


INVOICES: Final = tuple(map(_invoice, range(20)))
