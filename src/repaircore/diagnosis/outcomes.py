"""Actual repairs after diagnoses: confirmation, accuracy, and the nightly training."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Final

from attrs import frozen

from repaircore.danger_model.training import TrainedDangers
from repaircore.diagnosis.cases import Accuracy, Case, ConfirmedBy, accuracy_of, repair_of
from repaircore.diagnosis.ports import OpenCasesWork
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.types import Clock, Lazy
from repaircore.word_model.groups import Groups
from repaircore.word_model.model import WordModel
from repaircore.word_model.training import Example, Trained, fine_tuned
from repaircore.word_model.weights_text import dump

_MOST_CASES: Final = 2000
"""How many of the newest cases are learned from, which bounds the nightly work."""

_INVOICED_WITHIN: Final = timedelta(days=60)
"""How long after a case an invoice for the same car may confirm its repair."""

_RETENTION: Final = timedelta(days=180)
"""How long an unconfirmed case is stored: nothing can be learned from it, and its text may be personal."""

_NO_SUCH_REPAIR: Final = (
    "The repair field must be the slug of a repair in the book, such as brake-pads-front."
)


class CaseNotFound(NotFound):
    """No diagnosis, chat or questionnaire has this reference."""

    def __init__(self) -> None:
        super().__init__("There is no diagnosis with this reference.")


@frozen(kw_only=True)
class Outcomes:
    """Use cases for the actual repairs after diagnoses."""

    transaction: OpenCasesWork
    read: OpenCasesWork
    shipped: Lazy[WordModel]
    groups: Lazy[Groups]
    train: Lazy[Trained]
    train_dangers: Lazy[TrainedDangers]
    clock: Clock

    def confirm(self, reference: str, repair: str, caller: Caller = LOCAL) -> Case:
        """Record the actual repair of a case; a later confirmation replaces an earlier one.

        Raises:
            CaseNotFound: no diagnosis, chat or questionnaire has the reference.
            Invalid: on ``repair``, which is not in the book.
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
        """Return how often past diagnoses suggested the actual repair."""
        with self.read() as work:
            confirmed = work.cases.list_confirmed(environment)
            return accuracy_of(work.cases.count(environment), confirmed)

    def retrain(self) -> Trained:
        """Retrain the shipped word model on the shipped complaints, and return it; nothing is stored."""
        return self.train()

    def retrain_dangers(self) -> TrainedDangers:
        """Retrain the shipped danger model on the shipped texts, and return it; nothing is stored."""
        return self.train_dangers()

    def learn(self) -> Mapping[str, int]:
        """Confirm cases from invoices, delete old unconfirmed ones, and train the word model on the confirmed ones.

        The shipped weights are the prior. The same cases always give the same weights. Return the numbers of
        ``cases`` learned from, of cases confirmed by an invoice (``invoiced``), and of ``deleted`` cases.
        """
        now = self.clock()
        repairs = self._invoiced_repairs()
        with self.transaction() as work:
            deleted = work.cases.delete_unconfirmed(before=now - _RETENTION)
            invoiced = sum(
                work.cases.confirm(reference, repair, ConfirmedBy.INVOICE, now)
                for reference, repair in repairs.items()
            )
            confirmed = work.cases.list_confirmed(Environment.LIVE, limit=_MOST_CASES)
        # Training takes seconds: no transaction is open meanwhile.
        examples = list(self._examples(confirmed))
        text = dump(fine_tuned(self.shipped(), examples)) if examples else ""
        with self.transaction() as work:
            work.word_models.replace(text)
        return {"cases": len(examples), "invoiced": invoiced, "deleted": deleted}

    def _invoiced_repairs(self) -> Mapping[str, str]:
        """Map the references of unconfirmed cases to the slugs of their repairs on invoices.

        An invoice may be imported long after its date, so all stored cases count. Reading them separately keeps the
        write transaction short.
        """
        with self.read() as work:
            cases = work.cases.list_unconfirmed(Environment.LIVE, since=self.clock() - _RETENTION)
            found = {
                case.reference: repair_of(case, work.cases.list_invoiced(case, within=_INVOICED_WITHIN))
                for case in cases
            }
        return {reference: repair for reference, repair in found.items() if repair is not None}

    def _examples(self, cases: Iterable[Case]) -> Iterator[Example]:
        groups = self.groups()
        for case in sorted(cases, key=lambda case: case.reference):
            group = None if case.repair is None else groups.of(case.repair)
            if group is not None and case.text:
                yield Example(case.text, group, repair=case.repair)
