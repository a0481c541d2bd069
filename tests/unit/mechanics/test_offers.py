"""Services and languages as text: parsing and formatting are inverse, and nonsense is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.mechanics.model import Offer
from repaircore.mechanics.offers import (
    format_offer,
    language_code,
    parse_languages,
    parse_offers,
    service_word,
)


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("", ()),
        ("Brakes, oil change", (Offer(service="brakes"), Offer(service="oil_change"))),
        ("oil change (30 min, $59.95)", (Offer(service="oil_change", minutes=30, price=5995),)),
        (
            "tires ($25); brakes (90 minutes)",
            (Offer(service="brakes", minutes=90), Offer(service="tires", price=2500)),
        ),
        ("brakes (); a (5 MIN)", (Offer(service="a", minutes=5), Offer(service="brakes"))),
        ("brakes (30 min), brakes (60 min)", (Offer(service="brakes", minutes=60),)),
        ("free ($0)", (Offer(service="free", price=0),)),
    ],
)
def test_parse_offers_reads_services_with_minutes_and_prices(text: str, offers: tuple[Offer, ...]) -> None:
    assert parse_offers(text) == offers


@pytest.mark.parametrize(
    "text",
    [
        "brakes (soon)", "brakes (31 min)", "brakes (0 min)", "brakes (485 min)", "brakes (59.95)", "brakes ($5.9)",
        "brakes ($-5)", "brakes (30 min", "brakes) x", "a (b (c))", "brakes ($999999)", "x" * 61,
        "; ".join(f"service {number}" for number in range(51)),
    ],
)  # fmt: skip
def test_parse_offers_refuses_invalid_text(text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        parse_offers(text)


def test_parse_offers_reads_the_limits() -> None:
    longest, most = "x" * 60, "; ".join(f"service {number}" for number in range(50))

    assert parse_offers(longest) == (Offer(service=longest),)
    assert len(parse_offers(most)) == 50
    assert parse_offers("a (480 min, $100000.00)") == (Offer(service="a", minutes=480, price=10_000_000),)
    with pytest.raises(ValueError, match=r"above \$100000.00"):
        parse_offers("a ($100000.01)")
    assert parse_offers("!") == ()


def test_languages_are_at_most_twenty() -> None:
    codes = [f"{first}{second}" for first in "ab" for second in "bcdfghjklmn"]

    assert len(parse_languages("; ".join(codes[:20]))) == 20
    with pytest.raises(ValueError, match="more than 20 languages"):
        parse_languages(",".join(codes[:21]))


@given(
    st.lists(
        st.builds(
            Offer,
            service=st.from_regex(r"[a-z0-9]+(_[a-z0-9]+)*", fullmatch=True).filter(
                lambda word: len(word) < 60
            ),
            minutes=st.none() | st.integers(1, 96).map(lambda steps: steps * 5),
            price=st.none() | st.integers(0, 10_000_000),
        ),
        unique_by=lambda offer: offer.service,
        max_size=10,
    )
)
def test_format_offer_is_inverse_to_parsing(offers: list[Offer]) -> None:
    text = "; ".join(map(format_offer, offers))

    assert parse_offers(text) == tuple(sorted(offers, key=lambda offer: offer.service))


@given(st.text(max_size=80))
def test_parse_offers_raises_only_its_own_errors(text: str) -> None:
    try:
        offers = parse_offers(text)
    except ValueError:
        return

    assert all(offer.service == service_word(offer.service) for offer in offers)


def test_languages_are_read_by_name_and_by_code() -> None:
    assert parse_languages("Spanish; EN, es; Haitian Creole") == ("en", "es", "ht")
    assert parse_languages("") == ()
    assert (language_code("Vietnamese"), language_code("klingon"), language_code("e1")) == ("vi", None, None)
    with pytest.raises(ValueError, match="'klingon'"):
        parse_languages("es; klingon")
