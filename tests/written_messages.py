"""Every message that the code can write to a person, found by its types, each with made-up facts.

``python -m tests.written_messages`` prints them all, to be read aloud.
"""

import ast
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, get_type_hints
from uuid import UUID

from attrs import evolve, frozen
from tests.contracts.visits import NOW, a_visit
from tests.unit.appointments.made import AT, an_appointment
from tests.unit.appointments.test_letters import ADA
from tests.unit.dispatch.test_texts import CHANGED, facts

import repaircore
from repaircore.accounts.model import User
from repaircore.appointments import letters
from repaircore.appointments.cancellation import CancellationPolicy
from repaircore.appointments.letters import CustomerNews, Letter, MechanicNews
from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import BookedVehicle, Response
from repaircore.dispatch.model import Notice
from repaircore.garage.model import Labels, ListedService, Reminder, ServiceBasis, VehicleService
from repaircore.kernel.callers import Environment, Role
from repaircore.messages.model import Channel, NewMessage
from repaircore.messages.texts import sms_text
from repaircore.passwords.model import PasswordReset
from repaircore.rides.model import RideKind
from repaircore.schedules.due import Interval
from repaircore.shops.model import Shop
from repaircore.visits.model import Choice, Decision

SENDER: Final = "repairs.example.com"
_URL: Final = f"https://{SENDER}"
_LINK: Final = f"{_URL}/m/{'0' * 50}"
_ADDRESS: Final = "412 W 5th St"
_FORMER: Final = AT + timedelta(days=3)
_POLICY: Final = CancellationPolicy(free_hours=24, fee=3500)
_SENDERS: Final = {"MessageNotices.send", "AppointmentLog._send"}
"""What sends the notices and letters of others, and writes none."""


@frozen(kw_only=True)
class Written:
    """A message: which one, by what, and what has to be in it. ``answers`` are the ways to answer, of which it has one."""

    name: str
    channel: Channel
    subject: str
    text: str
    who: str
    what: str
    where: str | None = None
    has_time: bool = True
    answers: tuple[str, ...] = ()
    can_stop: bool = True


def builders() -> dict[str, Callable[..., Any]]:
    """Return what returns a message, a notice or a letter, by module and name."""
    found: dict[str, Callable[..., Any]] = {}
    for module in _modules():
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__ and name[0] != "_":
                returned = get_type_hints(value).get("return") if _may_return_message(value) else None
                if returned in {Notice, Letter, NewMessage}:
                    found[f"{module.__name__.removeprefix('repaircore.')}.{name}"] = value
    return found


def made_elsewhere() -> list[str]:
    """Return where a ``NewMessage`` is made that no builder returns."""
    known = {name.rpartition(".")[2] for name in builders()} | _SENDERS
    places = []
    for path in Path(repaircore.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "NewMessage(" in text:
            places += [
                f"{path.parent.name}/{path.name}: {name}"
                for name in _makers(ast.parse(text), "")
                if name not in known and not _is_part(name)
            ]
    return places


def news() -> tuple[dict[str, CustomerNews], dict[str, MechanicNews]]:
    """Return the events that customers and mechanics are notified of, by name."""
    named = vars(letters).items()
    customers = {name: value for name, value in named if isinstance(value, CustomerNews)}
    return customers, {name: value for name, value in named if isinstance(value, MechanicNews)}


def written() -> Iterator[Written]:
    """Yield every message, in the channels that it is sent by.

    Raises:
        KeyError: a builder has no made-up facts here.
    """
    for name, build in builders().items():
        module = name.rpartition(".")[0]
        makers: dict[str, Callable[..., Iterator[Written]]] = {
            "dispatch.texts": _notices,
            "appointments.letters": _letters,
        }
        make: Callable[..., Iterator[Written]] = makers.get(module, _mails)
        yield from make(name, build)


def _modules() -> Iterator[ModuleType]:
    for package in pkgutil.iter_modules(repaircore.__path__, "repaircore."):
        # What touches the outside writes nothing; every message is made of a slice's own facts.
        if package.ispkg and package.name not in {
            "repaircore.adapters",
            "repaircore.testing",
            "repaircore.wiring",
        }:
            for module in pkgutil.iter_modules([*import_module(package.name).__path__], f"{package.name}."):
                yield import_module(module.name)


def _may_return_message(function: FunctionType) -> bool:
    returned = function.__annotations__.get("return")
    name = returned if isinstance(returned, str) else getattr(returned, "__name__", "")
    return name.strip('"') in {"Notice", "Letter", "NewMessage"}


def _makers(node: ast.AST, within: str) -> Iterator[str]:
    """Yield the functions that make a ``NewMessage``, methods with their class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from _makers(child, f"{within}.{child.name}".lstrip("."))
        elif (
            isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "NewMessage"
        ):
            yield within
        else:
            yield from _makers(child, within)


def _is_part(name: str) -> bool:
    """Return whether a function is the private half of builders of its module."""
    return name == "_link_mail"


def _notices(name: str, build: Callable[..., Notice]) -> Iterator[Written]:
    chosen = {"eta_at": AT} if name.endswith((".chosen", ".changed")) else {}
    kinds: dict[str, dict[str, Any]] = {
        "now": {},
        "for later": {"scheduled_for": AT + timedelta(hours=3)},
        "mobile": {"kind": RideKind.MOBILE, "service": "battery_jump_start"},
        "changed": CHANGED,
    }
    for kind, fields in kinds.items():
        event = facts(**{**chosen, **fields})
        notice = build(event)
        asks = name.endswith((".ask", ".chosen", ".changed"))
        for channel, text in ((Channel.SMS, notice.text), (Channel.EMAIL, notice.body)):
            yield Written(
                name=f"{name} ({kind})",
                channel=channel,
                subject=notice.subject if channel is Channel.EMAIL else "",
                text=text,
                who=event.sender,
                what="flatbed tow" if event.ride.kind is RideKind.TOW else "battery jump start",
                where="Los Angeles, CA 90013",
                answers=(event.link,) if asks else (),
            )


def _letters(name: str, _: Callable[..., Letter]) -> Iterator[Written]:
    customers, mechanics = news()
    scheduled = an_appointment(
        service="oil_change",
        price=5995,
        no_show_fee=2500,
        vehicle=BookedVehicle(year=2018, make="Honda", model="Civic"),
    )
    scheduled = evolve(scheduled, place=evolve(scheduled.place, phone="+16145550123"))
    over = evolve(scheduled, status=Status.CANCELLED, cancel_fee=2500)
    missed = evolve(scheduled, status=Status.NO_SHOW)
    if name.endswith(".customer_letter"):
        steps = {f"pickup {step}": letters.pickup_news(evolve(scheduled, pickup=step)) for step in Pickup}
        for kind, event in {**customers, **steps}.items():
            about = {"CANCELLED": over, "NO_SHOW": missed}.get(kind, scheduled)
            for address, where in ((None, "1 Main Street, Columbus, OH"), (_ADDRESS, _ADDRESS)):
                yield from _both(
                    f"{name} ({kind})" if address is None else f"{name} ({kind}) at an address",
                    letters.customer_letter(
                        event,
                        evolve(about, address=address),
                        ADA,
                        partner="Roadside Inc",
                        policy=_POLICY,
                        sender=SENDER,
                        now=AT,
                        moved_from=_FORMER if kind == "RESCHEDULED" else None,
                    ),
                    who="Garage",
                    where=where,
                    answers=("+16145550123",),
                )
    elif name.endswith(".mechanic_letter"):
        for kind, asked in mechanics.items():
            about = over if kind == "CALLED_OFF" else scheduled
            if kind == "PHONE":
                about = evolve(scheduled, response=Response.ACCEPTED)
            link = _LINK if asked.asks else None
            for address, where in ((None, "at Garage"), (_ADDRESS, _ADDRESS)):
                yield from _both(
                    f"{name} ({kind})" if address is None else f"{name} ({kind}) at an address",
                    letters.mechanic_letter(
                        asked,
                        evolve(about, address=address),
                        ADA,
                        policy=_POLICY,
                        link=link,
                        sender=SENDER,
                        now=AT,
                        moved_from=_FORMER if kind == "MOVED" else None,
                    ),
                    who="Ada Byron",
                    where=where,
                    answers=(_LINK,) if asked.asks else (str(ADA.phone),) if kind == "PHONE" else (),
                )
    else:
        raise KeyError(name)


def _both(name: str, letter: Letter, *, who: str, where: str, answers: tuple[str, ...]) -> Iterator[Written]:
    texts = (
        (Channel.SMS, "", sms_text(letter.short, ending=letter.ending)),
        (Channel.EMAIL, letter.subject, letter.body),
    )
    for channel, subject, text in texts:
        yield Written(
            name=name,
            channel=channel,
            subject=subject,
            text=text,
            who=who,
            what="Oil change",
            where=where,
            answers=answers,
        )


_USER: Final = User(
    id=1, name="Ada", email="ada@example.org", password_hash="", role=Role.USER, created_at=NOW
)
_RESET: Final = PasswordReset(user_id=1, token_hash=b"", expires_at=NOW + timedelta(hours=1))
_SHOP: Final = Shop(
    owner_id=1, name="Elm Street Garage", phone="+16145550123", email="desk@elm.example", updated_at=NOW
)
_REMINDER: Final = Reminder(
    owner_id=1,
    environment=Environment.LIVE,
    name="Ada",
    email="ada@example.org",
    services=(
        ListedService(
            vehicle_id=UUID(int=1),
            vin="2HGFC2F59JH000000",
            display_name="2018 Honda Civic",
            labels=Labels(),
            service=VehicleService(
                name="oil-change",
                title="Oil change",
                due_on=date(2026, 3, 20),
                due_mileage=60_000,
                interval=Interval(miles=5_000, months=6),
                basis=ServiceBasis.HISTORY,
                period="1",
                price=None,
            ),
        ),
    ),
)
_ANSWERED: Final = [(1, Decision(choice=Choice.ASKED, name="Grace", at=NOW, note="Is it urgent?"))]
_MAILS: Final[Mapping[str, tuple[Callable[[Callable[..., NewMessage]], NewMessage], dict[str, Any]]]] = {
    "garage.reminders.reminder_mail": (
        lambda build: build(_REMINDER, date(2026, 3, 2), _URL),
        {"what": "Oil change", "where": "2018 Honda Civic", "answers": (f"{_URL}/console/garage",)},
    ),
    "documents.letters.estimate_mail": (
        lambda build: build(a_visit(), _SHOP, "ada@example.org", f"{_URL}/e/abc"),
        {"who": "Elm Street Garage", "what": "estimate", "answers": (f"{_URL}/e/abc",)},
    ),
    "documents.letters.answers_mail": (
        lambda build: build(a_visit(), _ANSWERED, "desk@elm.example", f"{_URL}/console/visits/1"),
        {"who": "Grace", "what": "Is it urgent?", "answers": (f"{_URL}/console/visits/1",)},
    ),
    "passwords.letters.reset_mail": (
        lambda build: build(_USER, _RESET, token="abc", public_url=_URL),
        {"what": "new password", "answers": (f"{_URL}/console/reset/abc",), "can_stop": False},
    ),
    "passwords.letters.invitation_mail": (
        lambda build: build(_USER, _RESET, url=f"{_URL}/console/reset/abc"),
        {"what": "account was created", "answers": (f"{_URL}/console/reset/abc",), "can_stop": False},
    ),
    "passwords.letters.operator_reset_mail": (
        lambda build: build(_USER, _RESET, url=f"{_URL}/console/reset/abc"),
        {"what": "new password", "answers": (f"{_URL}/console/reset/abc",), "can_stop": False},
    ),
    "passwords.letters.changed_mail": (
        lambda build: build(_USER, public_url=_URL),
        {"what": "was just changed", "answers": (f"{_URL}/console/forgot",), "can_stop": False},
    ),
}
"""Mails of accounts and shops: they name days, or how long a link works. What secures an account cannot be stopped."""


def _mails(name: str, build: Callable[..., NewMessage]) -> Iterator[Written]:
    make, expected = _MAILS[name]
    mail = make(build)
    yield Written(
        name=name,
        channel=mail.channel,
        subject=mail.subject,
        text=mail.body,
        has_time=False,
        **{"who": SENDER, **expected},
    )


if __name__ == "__main__":
    for message in written():
        head = f"{message.name}, by {message.channel}"
        sys.stdout.write(
            f"\n--- {head}" + (f": {message.subject}" if message.subject else f" ({len(message.text)})")
        )
        sys.stdout.write(f"\n{message.text}\n")
