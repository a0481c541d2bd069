"""OAuth states and proof keys: only signed states are accepted."""

from base64 import urlsafe_b64decode
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.connected_cars.model import Flow
from repaircore.connected_cars.oauth import parse_state, pkce_challenge, pkce_verifier, sign_state
from repaircore.kernel.callers import Environment

KEY = b"k" * 32
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
FLOW = Flow(
    id=UUID(int=7),
    environment=Environment.LIVE,
    owner_id=42,
    email="driver@example.com",
    begun_at=AT,
    ends_at=AT + timedelta(minutes=10),
)


@given(
    flow_id=st.uuids(),
    environment=st.sampled_from(Environment),
    owner_id=st.integers(0, 2**63 - 1),
    ends_at=st.datetimes(datetime(2020, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001 - given a zone below
)
def test_parse_state_returns_the_signed_content(
    flow_id: UUID, environment: Environment, owner_id: int, ends_at: datetime
) -> None:
    ends = ends_at.replace(microsecond=0, tzinfo=UTC)
    flow = evolve(FLOW, id=flow_id, environment=environment, owner_id=owner_id, ends_at=ends)
    state = parse_state(sign_state(flow, KEY), KEY)

    assert state is not None
    assert (state.flow_id, state.environment, state.owner_id, state.ends_at) == (
        flow_id,
        environment,
        owner_id,
        ends,
    )


@given(at=st.integers(0), char=st.characters())
def test_parse_state_rejects_a_changed_character(at: int, char: str) -> None:
    state = sign_state(FLOW, KEY)
    place = at % len(state)
    changed = state[:place] + char + state[place + 1 :]

    assert (parse_state(changed, KEY) is None) == (changed != state)


@given(st.text())
def test_parse_state_rejects_any_other_text(text: str) -> None:
    assert parse_state(text, KEY) is None


def test_parse_state_rejects_the_state_of_another_installation() -> None:
    assert parse_state(sign_state(FLOW, b"x" * 32), KEY) is None


def test_parse_state_rejects_the_signature_of_another_owner() -> None:
    own, others = (sign_state(evolve(FLOW, owner_id=owner), KEY) for owner in (42, 43))
    body, _, _ = others.rpartition(".")
    _, _, signature = own.rpartition(".")

    assert parse_state(f"{body}.{signature}", KEY) is None


def test_sign_state_contains_no_email() -> None:
    assert "driver" not in sign_state(FLOW, KEY)


def test_pkce_challenge_matches_the_example_of_the_rfc() -> None:
    # RFC 7636, appendix B
    assert (
        pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )


@given(st.uuids(), st.uuids())
def test_pkce_verifier_differs_for_each_flow_and_key(one: UUID, other: UUID) -> None:
    verifier = pkce_verifier(one, KEY)

    assert verifier == pkce_verifier(one, KEY)
    assert len(urlsafe_b64decode(verifier + "=")) == 32
    assert (verifier == pkce_verifier(other, KEY)) == (one == other)
    assert verifier != pkce_verifier(one, b"x" * 32)


@pytest.mark.parametrize("state", ["", ".", "v1", "v1.0.live.0.0.", "v2" + sign_state(FLOW, KEY)[2:]])
def test_parse_state_rejects_an_incomplete_state(state: str) -> None:
    assert parse_state(state, KEY) is None


@pytest.mark.parametrize("state", ["", "v1", "v1.x.live.1.1.signature", "v2." + sign_state(FLOW, KEY)[3:]])
def test_parse_state_rejects_what_is_no_state(state: str) -> None:
    assert parse_state(state, KEY) is None
