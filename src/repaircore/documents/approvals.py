"""Shared visits as customers see them, and their answers."""

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve, frozen

from repaircore.documents.answers import AnswerVisit, action_of, answer_errors, decisions_in, is_new
from repaircore.documents.billing import partial_total
from repaircore.documents.composition import shared_document
from repaircore.documents.errors import EstimateChanged, LinkNotFound, WorkBegan
from repaircore.documents.letters import answers_mail
from repaircore.documents.links import is_answerable, is_open
from repaircore.documents.model import Document
from repaircore.documents.ports import DocumentRenderer, DocumentsWork, OpenWork
from repaircore.documents.steps import answer_step
from repaircore.kernel.errors import Invalid
from repaircore.kernel.link_tokens import LinkTokens, may_be_token
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import field_errors
from repaircore.kernel.timeline import Actor
from repaircore.kernel.types import Clock
from repaircore.shops.model import Logo
from repaircore.visits.events import VisitEvents
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import Decision, Visit


@frozen(kw_only=True)
class SharedVisit:
    """A visit as its link shows it. ``decisions`` has its lines' decisions, by the key of the line in the document.

    ``approved_total`` is what the approved lines cost on their own; it is None unless only some lines are approved.
    """

    document: Document
    is_invoice: bool
    version: int
    has_logo: bool
    is_answerable: bool
    decisions: dict[str, Decision]
    approved_total: Cents | None


@frozen(kw_only=True)
class Approvals:
    """Use cases for anyone with a link. ``visit_address`` is the URL of a visit's page, without the visit's number."""

    transaction: OpenWork
    read: OpenWork
    renderer: DocumentRenderer
    tokens: LinkTokens
    sends_mails: bool
    visit_address: str
    events: VisitEvents
    clock: Clock

    def open(self, token: str) -> SharedVisit:
        """Return the visit that a link shares.

        Raises:
            LinkNotFound: the link does not exist, or no longer works.
        """
        with self.read() as work:
            return _shared(work, self._find(work, token))

    def logo(self, token: str) -> Logo:
        """Return the logo of the shop that shares a visit.

        Raises:
            LinkNotFound: the link does not exist or no longer works, or the shop has no logo.
        """
        with self.read() as work:
            logo = work.shops.logo(self._find(work, token).owner_id)
        if logo is None:
            raise LinkNotFound
        return logo

    def pdf(self, token: str) -> bytes:
        """Return the document that a link shares as a PDF.

        Raises:
            LinkNotFound: the link does not exist, or no longer works.
            Unresolvable: this installation cannot render PDF files.
        """
        with self.read() as work:
            visit = self._find(work, token)
            shop = work.shops.find(visit.owner_id)
            document = shared_document(visit, shop, work.shops.logo(visit.owner_id))
        return self.renderer.render(document)

    def answer(self, token: str, data: AnswerVisit) -> SharedVisit:
        """Store a customer's answers to a visit's lines, and e-mail them to the shop unless nothing changed.

        No e-mail is sent if the installation sends none, or the shop has no e-mail address.

        Raises:
            EstimateChanged: the visit has changed since the version that the customer saw.
            Invalid: with every bad field.
            LinkNotFound: the link does not exist, or no longer works.
            VisitChanged: another request changed the visit at the same time.
            WorkBegan: the work has begun.
        """
        with self.transaction() as work:
            visit = self._find(work, token)
            errors = field_errors(
                AnswerVisit, {"name": data.name, "version": data.version, "answers": data.answers}
            )
            errors |= answer_errors(visit, data.answers)
            if not is_answerable(visit):
                raise WorkBegan
            if data.version != visit.version:
                raise EstimateChanged
            if errors:
                raise Invalid(errors)
            return _shared(work, self._store(work, visit, data))

    def _store(self, work: DocumentsWork, visit: Visit, data: AnswerVisit) -> Visit:
        now = self.clock()
        saved, decisions = store_answers(work, visit, data, self.events, actor="customer", at=now)
        shop = work.shops.find(visit.owner_id)
        if decisions and self.sends_mails and shop is not None and shop.email is not None:
            address = self.visit_address + saved.number
            work.messages.add(answers_mail(saved, decisions, shop.email, address), now)
        return saved

    def _find(self, work: DocumentsWork, token: str) -> Visit:
        key = work.visit_links.find_visit(self.tokens.hash_of(token)) if may_be_token(token) else None
        if key is None:
            raise LinkNotFound
        visit = work.visits.find(key.number, environment=key.environment, owner_id=None)
        if visit is None or not is_open(visit, self.clock().date()):
            raise LinkNotFound
        return visit


def store_answers(
    work: DocumentsWork, visit: Visit, data: AnswerVisit, events: VisitEvents, *, actor: Actor, at: datetime
) -> tuple[Visit, Sequence[tuple[int, Decision]]]:
    """Store answers, and return the visit and the decisions; if nothing changes, store nothing and return no decisions.

    If answers are repeated after the estimate was changed and sent again, they are all stored again.

    Raises:
        VisitChanged: another request changed the visit at the same time.
    """
    given = [*decisions_in(visit, data, at)]
    new = [(line_id, decision) for line_id, decision in given if is_new(visit, line_id, decision)]
    decided = visit.with_decisions(new)
    decided = evolve(decided, updated_at=at).apply(action_of(decided), at=at)
    if not new and decided.status is visit.status:
        return visit, ()
    decisions = new or given
    saved = work.visits.update(visit, decided)
    work.timelines.add(saved.number, answer_step(visit.status, saved, decisions, at, actor=actor))
    events.add(work, saved, "answered", at)
    return saved, decisions


def _shared(work: DocumentsWork, visit: Visit) -> SharedVisit:
    shop = work.shops.find(visit.owner_id)
    return SharedVisit(
        document=shared_document(visit, shop, None),
        is_invoice=visit.status is Status.INVOICED,
        has_logo=shop is not None and shop.has_logo,
        version=visit.version,
        is_answerable=is_answerable(visit),
        decisions={str(line.id): line.decision for line in visit.lines if line.decision is not None},
        approved_total=partial_total(visit),
    )
