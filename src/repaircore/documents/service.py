"""Show, render, send and share the documents of the caller's visits."""

from collections.abc import Sequence

from attrs import asdict, evolve, frozen

from repaircore.documents.answers import AnswerVisit, ApproveVisit, LineAnswer, answer_errors
from repaircore.documents.approvals import store_answers
from repaircore.documents.billing import partial_total
from repaircore.documents.composition import private_document
from repaircore.documents.errors import EstimateEnded
from repaircore.documents.letters import estimate_mail
from repaircore.documents.links import PATH, Link, is_open
from repaircore.documents.model import Document
from repaircore.documents.ports import DocumentRenderer, DocumentsWork, OpenWork
from repaircore.kernel.callers import Caller, private_owner
from repaircore.kernel.errors import Invalid
from repaircore.kernel.link_tokens import SEED_BYTES, LinkTokens
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import FieldErrors, field_errors, require_valid
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, RandomBytes
from repaircore.visits.errors import VisitChanged
from repaircore.visits.events import VisitEvents
from repaircore.visits.lifecycle import Action
from repaircore.visits.model import Choice, Decision, Visit
from repaircore.visits.service import require_visit


@frozen(kw_only=True)
class SentVisit:
    """A visit that was sent, its link, and whether the link is e-mailed to the customer."""

    visit: Visit
    link: str
    is_mailed: bool


@frozen(kw_only=True)
class Documents:
    """Use cases for documents. ``public_url`` is the public URL of this installation."""

    transaction: OpenWork
    read: OpenWork
    renderer: DocumentRenderer
    tokens: LinkTokens
    random: RandomBytes
    sends_mails: bool
    public_url: str
    events: VisitEvents
    clock: Clock

    @property
    def renders(self) -> bool:
        """Whether this installation can render PDF files."""
        return self.renderer.is_on

    def get(self, number: str, caller: Caller) -> Document:
        """Return the document of a visit as the shop and its customer see it.

        Raises:
            VisitNotFound: the caller has no such visit.
        """
        with self.read() as work:
            visit = require_visit(work.visits, number, caller)
            return private_document(
                visit,
                work.shops.find(visit.owner_id),
                work.shops.logo(visit.owner_id),
                link=self._link(work, visit),
            )

    def pdf(self, number: str, caller: Caller) -> bytes:
        """Return the document of a visit as a PDF.

        Raises:
            Unresolvable: this installation cannot render PDF files.
            VisitNotFound: the caller has no such visit.
        """
        return self.renderer.render(self.get(number, caller))

    def link(self, number: str, caller: Caller) -> str | None:
        """Return the link that shares a visit, or None if there is none or it does not work now.

        Raises:
            VisitNotFound: the caller has no such visit.
        """
        with self.read() as work:
            return self._link(work, require_visit(work.visits, number, caller))

    def approved_total(self, visit: Visit) -> Cents | None:
        """Return what the approved lines cost on their own, or None unless only some lines are approved."""
        return partial_total(visit)

    def send(self, number: str, caller: Caller, *, version: int, by_mail: bool) -> SentVisit:
        """Share a visit by a link; with ``by_mail``, e-mail it to the customer.

        Raises:
            Conflict: the status of the visit does not allow it, or the estimate has expired.
            Invalid: on ``by_mail``: the customer has no e-mail address, or this installation does not send e-mail.
            VisitChanged: the visit has changed since ``version``.
            VisitNotFound: the caller has no such visit.
        """
        now = self.clock()
        with self.transaction() as work:
            visit = require_visit(work.visits, number, caller)
            if visit.version != version:
                raise VisitChanged(visit.version)
            if visit.is_expired(now.date()):
                raise EstimateEnded(visit)
            recipient = self._recipient(visit) if by_mail else None
            sent = work.visits.update(visit, visit.apply(Action.SEND, at=now))
            link = self._address(work.visit_links.add(self._new_link(visit)))
            if recipient is not None:
                shop = work.shops.find(visit.owner_id)
                work.messages.add(estimate_mail(sent, shop, recipient, link), now)
            work.timelines.add(number, _step(Action.SEND, visit, sent, {"mail": recipient is not None}))
            self.events.add(work, sent, "sent", now)
            return SentVisit(visit=sent, link=link, is_mailed=recipient is not None)

    def approve(self, number: str, caller: Caller, *, version: int, name: str) -> Visit:
        """Approve every line on behalf of the customer called ``name``, who agreed by phone or in person.

        Raises:
            Conflict: the status of the visit does not allow it.
            Invalid: on ``name``.
            VisitChanged: the visit has changed since ``version``.
            VisitNotFound: the caller has no such visit.
        """
        now = self.clock()
        data = ApproveVisit(name=name)
        require_valid(data)
        with self.transaction() as work:
            visit = require_visit(work.visits, number, caller)
            if visit.version != version:
                raise VisitChanged(visit.version)
            decision = Decision(choice=Choice.APPROVED, name=data.name.strip(), at=now)
            approved = visit.with_decisions([(line.id, decision) for line in visit.lines])
            saved = work.visits.update(visit, approved.apply(Action.APPROVE, at=now))
            work.timelines.add(number, _step(Action.APPROVE, visit, saved, {"name": decision.name}))
            self.events.add(work, saved, "answered", now)
            return saved

    def validate_answers(
        self, number: str, caller: Caller, *, answers: Sequence[LineAnswer] = (), **_others: object
    ) -> FieldErrors:
        """Return the errors in answers to the lines of a visit; there are none if the caller has no such visit."""
        with self.read() as work:
            visit = work.visits.find(number, environment=caller.environment, owner_id=private_owner(caller))
        return {} if visit is None else answer_errors(visit, answers)

    def answer(self, number: str, data: AnswerVisit, caller: Caller) -> Visit:
        """Store a customer's answers to lines, given by phone or in person, under the customer's name.

        Answers that are already stored change nothing and create no new version.

        Raises:
            Conflict: the status of the visit does not allow it.
            Invalid: with every bad field, such as ``answers.0.note``.
            VisitChanged: the visit has changed since the version in ``data``.
            VisitNotFound: the caller has no such visit.
        """
        with self.transaction() as work:
            visit = require_visit(work.visits, number, caller)
            if data.version != visit.version:
                raise VisitChanged(visit.version)
            errors = field_errors(AnswerVisit, asdict(data, recurse=False)) | answer_errors(
                visit, data.answers
            )
            if errors:
                raise Invalid(errors)
            visit.apply(Action.APPROVE, at=visit.updated_at)  # answers count until the work begins
            saved, _ = store_answers(work, visit, data, self.events, actor="owner", at=self.clock())
            return saved

    def revoke(self, number: str, caller: Caller) -> None:
        """Delete the link of a visit, if there is one; sending the visit again creates a new one.

        Raises:
            VisitNotFound: the caller has no such visit.
        """
        with self.transaction() as work:
            visit = require_visit(work.visits, number, caller)
            if work.visit_links.find(visit.id) is None:
                return
            work.visit_links.delete(visit.id)
            ended = evolve(visit, updated_at=self.clock())
            work.timelines.add(number, _step("revoke_link", visit, ended, None))

    def _recipient(self, visit: Visit) -> str:
        if not self.sends_mails:
            raise Invalid({"by_mail": ["This installation does not send e-mail. Copy the link instead."]})
        if visit.customer.email is None:
            raise Invalid({"by_mail": ["Enter the customer's e-mail address first."]})
        return visit.customer.email

    def _new_link(self, visit: Visit) -> Link:
        seed = self.random(SEED_BYTES)
        token = self.tokens.token_of(seed)
        return Link(
            visit_id=visit.id, token_hash=self.tokens.hash_of(token), seed=seed, created_at=self.clock()
        )

    def _link(self, work: DocumentsWork, visit: Visit) -> str | None:
        link = work.visit_links.find(visit.id)
        return self._address(link) if link is not None and is_open(visit, self.clock().date()) else None

    def _address(self, link: Link) -> str:
        return f"{self.public_url.rstrip('/')}{PATH}{self.tokens.token_of(link.seed)}"


def _step(action: str, before: Visit, after: Visit, detail: "dict[str, object] | None") -> Step:
    return Step(
        at=after.updated_at,
        action=str(action),
        before=before.status.value,
        after=after.status.value,
        actor="owner",
        detail=detail,
    )
