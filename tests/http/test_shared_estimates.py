"""Links to estimates: what they show, and how long they work."""

from datetime import timedelta

import pytest
from tests.conftest import OpenCore
from tests.http.people import ACCORD
from tests.http.visitors import Page, Visitor, visitor
from tests.reports import report

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core

ASK = {"vin": ACCORD, "zip_code": "90210", "problem": "brake-pads-front", "mileage": "84,321"}


@pytest.fixture
def guest(core: Core) -> Visitor:
    return Visitor(serve_core(core).test_client())


@pytest.fixture
def ada(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Ada")


def create_estimate(user: Visitor) -> str:
    """Make an estimate; return its path."""
    user.get("/console")
    return user.post("/console/estimates", ASK).headers["Location"].removeprefix("http://localhost")


def link_on(page: Page) -> str:
    """Return the path of the link on the page of an estimate, "" without one."""
    found = [fields["href"] for tag, fields in page.tags if tag == "a" and "/e/" in fields["href"]]
    return found[0][found[0].index("/e/") :] if found else ""


def share(user: Visitor, address: str) -> str:
    """Share an estimate; return the path of its link."""
    user.get(address)
    return link_on(Page(user.post(f"{address}/share", follow=True).text))


def share_new_estimate(user: Visitor) -> tuple[str, str]:
    """Return the address of an estimate, and the path that shares it."""
    address = create_estimate(user)
    return address, share(user, address)


def test_link_shows_the_estimate_to_anyone(ada: Visitor, guest: Visitor) -> None:
    address, link = share_new_estimate(ada)
    own, answer = ada.page(address), guest.get(link)
    page = Page(answer.text)

    assert answer.status_code == 200
    for expected in ("2003 Honda Accord", "Front Brake Pads", "90210 CA", "Labor", "until Feb 1, 2026"):
        assert expected in page.words
    prices = [text for text in own.words.split() if text.startswith("$")][:3]
    assert all(price in page.words for price in prices)
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "noindex" in answer.text


def test_link_shows_nothing_of_its_owner(ada: Visitor, guest: Visitor) -> None:
    address, link = share_new_estimate(ada)
    text = guest.get(link).text

    for secret in (ACCORD, ACCORD[:11], "ada@", "Ada", address.rsplit("/", 1)[1], "84,321", "84321"):
        assert secret not in text


def test_estimate_has_no_link_until_it_is_shared(ada: Visitor) -> None:
    address = create_estimate(ada)

    assert link_on(ada.page(address)) == ""
    link = share(ada, address)
    assert link_on(ada.page(address)) == link == share(ada, address)


def test_link_expires_after_a_month(ada: Visitor, guest: Visitor, clock: FrozenClock) -> None:
    _, link = share_new_estimate(ada)
    clock.advance(timedelta(days=29))
    assert guest.get(link).status_code == 200
    clock.advance(timedelta(days=1))

    ended = guest.get(link)
    assert ended.status_code == 404
    assert "This link does not work." in ended.text


def test_owner_can_stop_sharing_and_share_again(ada: Visitor, guest: Visitor) -> None:
    address, link = share_new_estimate(ada)

    page = Page(ada.post(f"{address}/stop-sharing", follow=True).text)

    assert "The link was revoked. Nobody can open it anymore." in page.words
    assert link_on(page) == ""
    ended, unknown = guest.get(link), guest.get(f"/e/{'A' * 43}")
    assert (ended.status_code, Page(ended.text).words) == (404, Page(unknown.text).words)
    assert share(ada, address) != link


def test_only_the_owner_shares_or_ends_a_link(core: Core, ada: Visitor, guest: Visitor) -> None:
    address, link = share_new_estimate(ada)
    eve = visitor(serve_core(core).test_client(), "Eve")
    eve.get("/console")

    for path in ("share", "stop-sharing"):
        assert eve.post(f"{address}/{path}").status_code == 404
    assert guest.get(link).status_code == 200


def test_link_of_an_expired_estimate_can_be_ended(ada: Visitor, guest: Visitor, clock: FrozenClock) -> None:
    address, link = share_new_estimate(ada)
    other = create_estimate(ada)
    clock.advance(timedelta(days=4))
    ada.log_in()

    page = ada.page(address)

    assert "This estimate has expired" in page.words
    assert link_on(page) == link
    assert ada.post(f"{other}/share").status_code == 409
    assert ada.post(f"{address}/stop-sharing").status_code == 303
    assert guest.get(link).status_code == 404


def test_guessed_and_changed_links_look_like_ended_ones(ada: Visitor, guest: Visitor) -> None:
    _, link = share_new_estimate(ada)
    guesses = ["/e/x", "/e/" + "A" * 300, link[:-1], link + "A", link.replace("/e/", "/e/A"), f"{link}%00"]
    answers = [guest.get(guess) for guess in guesses]

    assert [answer.status_code for answer in answers] == [404] * len(guesses)
    assert {Page(answer.text).words for answer in answers[:-1]} == {Page(answers[0].text).words}


def test_link_ignores_later_price_adjustments(ada: Visitor, guest: Visitor, core: Core) -> None:
    _, link = share_new_estimate(ada)
    before = Page(guest.get(link).text).words
    core.predictions.adjust_prices(50)

    assert Page(guest.get(link).text).words == before


def test_estimates_are_not_shared_without_public_pages(open_core: OpenCore) -> None:
    core = open_core(public_pages=False)
    ada = visitor(serve_core(core).test_client(), "Ada")
    ada.get("/console")
    page = Page(ada.post("/console/estimates", ASK, follow=True).text)

    assert "Share" not in page.words
    assert ada.get("/e/anything").status_code == 404


def test_owner_lists_and_ends_shared_links(core: Core, ada: Visitor, guest: Visitor) -> None:
    _, link = share_new_estimate(ada)
    caller = core.accounts.caller_for(ada.email)
    quote = core.shared_quotes.share(report(), caller)

    page = ada.page("/console/links")

    assert link in str(page.tags)
    assert (page.words.count("Stop sharing…"), page.words.count("Front Brake Pads")) == (2, 2)
    values = {name: page.value(name) for name in ("estimate", "quote")}
    assert quote.token not in str(page.tags)
    eve = visitor(serve_core(core).test_client(), "Eve")
    for name, value in values.items():
        eve.get("/console")
        assert eve.post("/console/links/stop", {name: value}).status_code == 303
    assert (guest.get(link).status_code, guest.get(f"/quote/{quote.token}").status_code) == (200, 200)
    for name, value in values.items():
        ada.get("/console/links")
        ada.post("/console/links/stop", {name: value})
    assert (guest.get(link).status_code, guest.get(f"/quote/{quote.token}").status_code) == (404, 404)
    words = ada.page("/console/links").words
    assert "You are not sharing any estimates." in words
    assert "You are not sharing any quotes." in words


def test_invalid_link_is_not_found(ada: Visitor) -> None:
    for fields in ({"quote": "xyz"}, {"estimate": "xyz"}, {}):
        ada.get("/console/links")
        assert ada.post("/console/links/stop", fields).status_code == 404
