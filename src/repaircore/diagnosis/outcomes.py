"""Learning from what became of diagnoses: confirming repairs, accuracy, and the nightly training."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Final

from attrs import frozen

from repaircore.diagnosis.cases import Accuracy, Case, ConfirmedBy, accuracy_of, repair_of
from repaircore.diagnosis.errors import CaseNotFound
from repaircore.diagnosis.ports import OpenCasesWork
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock, Lazy
from repaircore.word_model.groups import Groups
from repaircore.word_model.model import WordModel
from repaircore.word_model.training import Example, Trained, learned
from repaircore.word_model.weights_text import dump

_MOST_CASES: Final = 2000
"""So many of the newest cases are learned from: a night's work has a bound."""

_INVOICED_WITHIN: Final = timedelta(days=60)
"""An invoice for the same car counts as the repair of a case when it is dated at most so long after it."""

_KEPT: Final = timedelta(days=180)
"""A case that nobody confirms is deleted after so long: it teaches nothing, and its text may be personal."""

_NO_SUCH_REPAIR: Final = (
    "The repair field must be the slug of a repair of the book, such as brake-pads-front."
)


@frozen(kw_only=True)
class Outcomes:
    """The use cases of what became of diagnoses."""

    transaction: OpenCasesWork
    read: OpenCasesWork
    shipped: Lazy[WordModel]
    groups: Lazy[Groups]
    train: Lazy[Trained]
    clock: Clock

    def confirm(self, reference: str, repair: str, caller: Caller = LOCAL) -> Case:
        """Record which repair it was in the end; a later confirmation replaces an earlier one.

        Raises:
            CaseNotFound: no diagnosis, chat or questionnaire has the reference.
            Invalid: on ``repair``: the book has no such repair.
        """
        now = self.clock()
        with self.transaction() as work:
            case = work.cases.find(reference.strip())
            if case is None:
                raise CaseNotFound
            if repair not in work.problems.map_by_slug([repair]):
                raise Invalid({"repair": [_NO_SUCH_REPAIR]})
            work.cases.confirm(case.reference, repair, ConfirmedBy.OPERATOR, now)
            work.audit.add(
                caller,
                "diagnosis.confirm",
                f"diagnosis_cases/{case.reference}",
                before={"repair": case.repair},
                after={"repair": repair},
                at=now,
            )
            found = work.cases.find(case.reference)
        if found is None:
            raise CaseNotFound
        return found

    def accuracy(self, environment: Environment = Environment.LIVE) -> Accuracy:
        """Return how past diagnoses met what was repaired."""
        with self.read() as work:
            confirmed = work.cases.list_confirmed(environment)
            return accuracy_of(work.cases.count(environment), confirmed)

    def retrain(self) -> Trained:
        """Train the shipped word model again, from what the package ships; nothing is stored."""
        return self.train()

    def learn(self) -> Mapping[str, int]:
        """Confirm cases by invoices, delete old ones, and train the word model on the installation's own cases.

        The shipped weights are the prior. The same cases always give the same weights.
        """
        now = self.clock()
        repairs = self._invoiced()
        with self.transaction() as work:
            deleted = work.cases.delete_unconfirmed(before=now - _KEPT)
            invoiced = sum(
                work.cases.confirm(reference, repair, ConfirmedBy.INVOICE, now)
                for reference, repair in repairs.items()
            )
            confirmed = work.cases.list_confirmed(Environment.LIVE, limit=_MOST_CASES)
        # Training takes seconds: no transaction is open meanwhile.
        examples = list(self._examples(confirmed))
        text = dump(learned(self.shipped(), examples)) if examples else ""
        with self.transaction() as work:
            work.word_models.replace(text)
        return {"cases": len(examples), "invoiced": invoiced, "deleted": deleted}

    def _invoiced(self) -> Mapping[str, str]:
        """Map the cases whose repair is not known to those on invoices: they are read before the database is held to write.

        An invoice may be imported long after its day, so every case counts that is kept.
        """
        with self.read() as work:
            waiting = work.cases.list_unconfirmed(Environment.LIVE, since=self.clock() - _KEPT)
            found = {
                case.reference: repair_of(case, work.cases.list_invoiced(case, within=_INVOICED_WITHIN))
                for case in waiting
            }
        return {reference: repair for reference, repair in found.items() if repair is not None}

    def _examples(self, cases: Iterable[Case]) -> Iterator[Example]:
        groups = self.groups()
        for case in sorted(cases, key=lambda one: one.reference):
            group = None if case.repair is None else groups.of(case.repair)
            if group is not None and case.text:
                yield Example(case.text, group, repair=case.repair)
