"""Export and erase personal data."""

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
    """Use cases for personal data. A person is identified by an e-mail address.

    Phone numbers and VINs that the database cannot link to them may be given as well.
    """

    transaction: OpenWork
    read: OpenWork
    sweep: Sweep
    clock: Clock

    def export(
        self, email: str, *, phones: Sequence[str] = (), vins: Sequence[str] = (), caller: Caller = LOCAL
    ) -> Export:
        """Return everything that is stored about a person, without secrets.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``email``, ``phone`` and ``vin``.
            PersonUnknown: nothing is stored about them.
        """
        request = _parse_person(email, phones, vins, caller)
        with self.read() as work:
            person = _merge(work.personal_data.identify(request.email), request)
            own = work.personal_data.list_own(person)
            found = work.personal_data.mentions(_marks(person))
            mentions = [work.personal_data.read(mention) for mention in _elsewhere(found, own)]
        _require_data(request.email, own, found)
        return Export(email=request.email, exported_at=self.clock(), own=own, mentions=mentions)

    def erase(
        self,
        email: str,
        *,
        phones: Sequence[str] = (),
        vins: Sequence[str] = (),
        dry_run: bool = False,
        caller: Caller = LOCAL,
    ) -> Erasure:
        """Erase everything that identifies a person, including their account; anonymous statistics stay.

        With ``dry_run``, the rows are only counted. Otherwise all data is searched for traces afterward.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``email``, ``phone`` and ``vin``.
            PersonUnknown: nothing is stored about them.
        """
        request = _parse_person(email, phones, vins, caller)
        with self.read() as work:
            person = _merge(work.personal_data.identify(request.email), request)
            own = work.personal_data.list_own(person)
            found = work.personal_data.mentions(_marks(person))
        _require_data(request.email, own, found)
        if dry_run:
            counts = {
                **Counter(mention.table for mention in found),
                **{name: len(rows) for name, rows in own.items()},
            }
            return Erasure(removed={}, changed=counts, vins=len(person.vins))
        erasure = self._erase(person, found, caller)
        return evolve(erasure, traces=self._traces(_marks(person)))

    def _erase(self, person: Person, found: Sequence[PersonalRow], caller: Caller) -> Erasure:
        marks = _marks(person)
        with self.transaction() as work:
            removed, changed = (Counter(part) for part in work.personal_data.erase_own(person))
            deleted, redacted = work.personal_data.redact(found, marks)
            removed.update(deleted)
            changed.update(redacted)
            counts = {"removed": dict(removed), "changed": dict(changed)}
            # The audit log records that a person was erased, but not which one.
            work.audit.add(caller, "person.erased", "persons", before=None, after=counts, at=self.clock())
        return Erasure(removed=removed, changed=changed, vins=len(person.vins))

    def _traces(self, marks: PersonalMarks) -> tuple[str, ...]:
        with self.read() as work:
            left = work.personal_data.mentions(marks)
        rows = Counter(f"{mention.table}.{column}" for mention in left for column in mention.columns)
        return (*(f"{place}: {count}" for place, count in sorted(rows.items())), *self.sweep(marks))


def _marks(person: Person) -> PersonalMarks:
    return PersonalMarks(emails=frozenset({person.email}), phones=person.phones, vins=person.vins)


def _parse_person(email: str, phones: Iterable[str], vins: Iterable[str], caller: Caller) -> Person:
    require_admin(caller)
    digits = [phone_digits(phone) for phone in phones]
    whole = [vins_rules.normalize(vin) for vin in vins]
    errors = email_errors(email)
    if any(len(number) not in _DIGITS_OF_A_PHONE for number in digits):
        errors["phone"] = ["The phone field must have 7 to 15 digits."]
    if any(vins_rules.validate(vin) or len(vin) != _WHOLE_VIN for vin in whole):
        errors["vin"] = [f"The vin field must be a {_WHOLE_VIN}-character VIN."]
    if errors:
        raise Invalid(errors)
    return Person(email=fold_email(email), user_id=None, phones=frozenset(digits), vins=frozenset(whole))


def _merge(stored: Person, request: Person) -> Person:
    return evolve(stored, phones=stored.phones | request.phones, vins=stored.vins | request.vins)


def _elsewhere(found: Iterable[PersonalRow], own: Mapping[str, Sequence[Record]]) -> Iterator[PersonalRow]:
    """Yield the mentions that are not in the person's own rows."""
    keys: dict[tuple[str, ...], set[tuple[object, ...]]] = {}
    for mention in found:
        names = (mention.table, *mention.key)
        if names not in keys:
            keys[names] = {tuple(row.get(name) for name in mention.key) for row in own.get(mention.table, ())}
        if tuple(mention.key.values()) not in keys[names]:
            yield mention


def _require_data(email: str, own: Mapping[str, object], found: Sequence[PersonalRow]) -> None:
    if not own and not found:
        raise PersonUnknown(email)
