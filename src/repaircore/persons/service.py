"""Handing over and erasing what is kept about a person."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.emails import email_errors, fold_email
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock
from repaircore.persons.errors import PersonUnknown
from repaircore.persons.exported_marks import PersonalMarks, phone_digits
from repaircore.persons.model import Erasure, Export, Person, PersonalRow, Record
from repaircore.persons.ports import OpenWork, Sweep
from repaircore.vehicles import vin as vins_rules

_WHOLE_VIN: Final = 17
_DIGITS_OF_A_PHONE: Final = range(7, 16)


@frozen(kw_only=True)
class Persons:
    """The use cases about one person, who is told by an e-mail.

    What the database cannot know to be theirs (a phone number that somebody noted) may be told beside it.
    """

    transaction: OpenWork
    read: OpenWork
    sweep: Sweep
    clock: Clock

    def export(
        self, email: str, *, phones: Sequence[str] = (), vins: Sequence[str] = (), caller: Caller = LOCAL
    ) -> Export:
        """Return everything that is kept about a person, without secrets.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``email``, ``phone``, ``vin``.
            PersonUnknown: nothing is kept about them.
        """
        asked = _asked(email, phones, vins, caller)
        with self.read() as work:
            person = _joined(work.personal_data.person(asked.email), asked)
            kept = work.personal_data.kept(person)
            found = work.personal_data.mentions(_marks(person))
            mentions = [work.personal_data.shown(one) for one in _elsewhere(found, kept)]
        _demand(asked.email, kept, found)
        return Export(email=asked.email, exported_at=self.clock(), kept=kept, mentions=mentions)

    def erase(
        self,
        email: str,
        *,
        phones: Sequence[str] = (),
        vins: Sequence[str] = (),
        dry_run: bool = False,
        caller: Caller = LOCAL,
    ) -> Erasure:
        """Erase everything that tells who a person is; their account ends, figures stay without them.

        Nothing is left of it in ``dry_run``, which only counts. Afterwards everything is searched once more.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``email``, ``phone``, ``vin``.
            PersonUnknown: nothing is kept about them.
        """
        asked = _asked(email, phones, vins, caller)
        with self.read() as work:
            person = _joined(work.personal_data.person(asked.email), asked)
            kept = work.personal_data.kept(person)
            found = work.personal_data.mentions(_marks(person))
        _demand(asked.email, kept, found)
        if dry_run:
            counts = {
                **Counter(one.table for one in found),
                **{name: len(rows) for name, rows in kept.items()},
            }
            return Erasure(removed={}, changed=counts, vins=len(person.vins))
        erasure = self._erased(person, found, caller)
        return evolve(erasure, traces=self._traces(_marks(person)))

    def _erased(self, person: Person, found: Sequence[PersonalRow], caller: Caller) -> Erasure:
        marks = _marks(person)
        with self.transaction() as work:
            removed, changed = (Counter(part) for part in work.personal_data.release(person))
            struck_off, struck = work.personal_data.strike(found, marks)
            removed.update(struck_off)
            changed.update(struck)
            told = {"removed": dict(removed), "changed": dict(changed)}
            # That somebody was erased is kept; who it was is what was erased.
            work.audit.add(caller, "person.erased", "persons", before=None, after=told, at=self.clock())
        return Erasure(removed=removed, changed=changed, vins=len(person.vins))

    def _traces(self, marks: PersonalMarks) -> tuple[str, ...]:
        with self.read() as work:
            left = work.personal_data.mentions(marks)
        rows = Counter(f"{one.table}.{column}" for one in left for column in one.columns)
        return (*(f"{place}: {count}" for place, count in sorted(rows.items())), *self.sweep(marks))


def _marks(person: Person) -> PersonalMarks:
    return PersonalMarks(emails=frozenset({person.email}), phones=person.phones, vins=person.vins)


def _asked(email: str, phones: Iterable[str], vins: Iterable[str], caller: Caller) -> Person:
    require_admin(caller)
    digits = [phone_digits(phone) for phone in phones]
    whole = [vins_rules.normalize(vin) for vin in vins]
    wrong = email_errors(email)
    if any(len(number) not in _DIGITS_OF_A_PHONE for number in digits):
        wrong["phone"] = ["The phone field must have 7 to 15 digits."]
    if any(vins_rules.validate(vin) or len(vin) != _WHOLE_VIN for vin in whole):
        wrong["vin"] = [f"The vin field must be a VIN of {_WHOLE_VIN} characters."]
    if wrong:
        raise Invalid(wrong)
    return Person(email=fold_email(email), user_id=None, phones=frozenset(digits), vins=frozenset(whole))


def _joined(known: Person, asked: Person) -> Person:
    return evolve(known, phones=known.phones | asked.phones, vins=known.vins | asked.vins)


def _elsewhere(found: Iterable[PersonalRow], kept: Mapping[str, Sequence[Record]]) -> Iterator[PersonalRow]:
    """Return the mentions that are not in the person's own rows."""
    own: dict[tuple[str, ...], set[tuple[object, ...]]] = {}
    for one in found:
        which = (one.table, *one.key)
        if which not in own:
            own[which] = {tuple(row.get(name) for name in one.key) for row in kept.get(one.table, ())}
        if tuple(one.key.values()) not in own[which]:
            yield one


def _demand(email: str, kept: Mapping[str, object], found: Sequence[PersonalRow]) -> None:
    if not kept and not found:
        raise PersonUnknown(email)
