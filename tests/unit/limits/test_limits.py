"""Which callers share which rate-limit windows."""

from collections import Counter

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import TooMany, Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows
from repaircore.limits.service import Limits


class FixedWindows(Windows):
    """Windows that never slide."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        verdict = self.peek(subject, limit)
        self.counts[subject] += verdict.admitted
        return verdict

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        return Verdict(True) if self.counts[subject] < limit.count else Verdict(False, retry_after=7)

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        verdict = self.acquire(subject, limit)
        left = limit.count - self.counts[subject]
        return WindowStatus(
            limit=limit.count,
            remaining=left,
            reset_at=1_700_000_007,
            admitted=verdict.admitted,
            retry_after=verdict.retry_after,
        )

    @override
    def close(self) -> None:
        pass


class LostWindows(Windows):
    """Windows whose storage is unreachable."""

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        raise Unavailable("The rate limit windows cannot be written.")

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        raise Unavailable("The rate limit windows cannot be written.")

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        raise Unavailable("The rate limit windows cannot be written.")

    @override
    def close(self) -> None:
        pass


SESSION = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
SECRET = evolve(SESSION, credential=Credential.SECRET, key_id=1, key_name="shop")
PUBLISHABLE = evolve(SECRET, credential=Credential.PUBLISHABLE)


@pytest.fixture
def limits() -> Limits:
    return Limits(
        windows=FixedWindows(),
        requests=Limit(3),
        predictions=Limit(2),
        logins=Limit(5),
        all_logins=Limit(12),
        registrations=Limit(3, seconds=3600),
        resets=Limit(2, seconds=3600),
        all_resets=Limit(3, seconds=3600),
        visitors=Limit(4),
        partner_windows=FixedWindows(),
        partners={Environment.TEST: Limit(2), Environment.LIVE: Limit(4)},
        anonymous=Limit(2),
        wall=lambda: 1_700_000_000_000_000_001,
    )


def test_caller_can_make_as_many_requests_as_the_limit(limits: Limits) -> None:
    for _ in range(3):
        limits.count_request(SECRET)
    with pytest.raises(TooMany) as error:
        limits.count_request(SECRET)
    assert error.value.retry_after == 7


def test_both_halves_of_a_key_share_its_limit(limits: Limits) -> None:
    for caller in (SECRET, PUBLISHABLE, SECRET):
        limits.count_request(caller)
    with pytest.raises(TooMany):
        limits.count_request(PUBLISHABLE)


@pytest.mark.parametrize(
    "other",
    [SESSION, LOCAL, evolve(SECRET, key_id=2), evolve(SESSION, user_id=2), evolve(SESSION, user_id=11)],
)
def test_each_key_user_and_session_has_its_own_limit(limits: Limits, other: Caller) -> None:
    for _ in range(3):
        limits.count_request(SECRET)
    limits.count_request(other)


def test_predictions_are_limited_for_publishable_keys_only(limits: Limits) -> None:
    for _ in range(2):
        limits.count_prediction(PUBLISHABLE)
    with pytest.raises(TooMany):
        limits.count_prediction(PUBLISHABLE)
    for _ in range(10):
        limits.count_prediction(SECRET)
        limits.count_prediction(SESSION)


def test_prediction_limit_does_not_change_the_request_limit(limits: Limits) -> None:
    for _ in range(2):
        limits.count_prediction(PUBLISHABLE)
    for _ in range(3):
        limits.count_request(PUBLISHABLE)


def test_checking_the_login_limit_is_not_counted(limits: Limits) -> None:
    for _ in range(20):
        limits.check_login("ada@example.org", "192.0.2.1")


def test_login_is_refused_after_five_failures(limits: Limits) -> None:
    for _ in range(5):
        limits.check_login("ada@example.org", "192.0.2.1")
        limits.count_failed_login("ada@example.org", "192.0.2.1")
    with pytest.raises(TooMany):
        limits.check_login("ada@example.org", "192.0.2.1")
    with pytest.raises(TooMany):
        limits.count_failed_login("ada@example.org", "192.0.2.1")
    limits.check_login("ada@example.org", "192.0.2.2")


def test_lost_windows_allow_requests_and_refuse_logins(limits: Limits) -> None:
    unavailable = evolve(limits, windows=LostWindows(), partner_windows=LostWindows())
    unavailable.count_request(SECRET)
    unavailable.count_prediction(PUBLISHABLE)
    with pytest.raises(Unavailable):
        unavailable.check_login("ada@example.org", "192.0.2.1")
    with pytest.raises(Unavailable):
        unavailable.count_failed_login("ada@example.org", "192.0.2.1")


def test_partner_gets_its_window_status_whether_admitted_or_not(limits: Limits) -> None:
    results = [limits.count_partner_request(1, Environment.TEST) for _ in range(3)]
    assert [(one.admitted, one.remaining, one.retry_after) for one in results] == [
        (True, 1, 0),
        (True, 0, 0),
        (False, 0, 7),
    ]
    assert {one.limit for one in results} == {2}
    assert limits.count_partner_request(1, Environment.LIVE).limit == 4


def test_each_partner_has_its_own_window_in_each_environment(limits: Limits) -> None:
    for _ in range(3):
        limits.count_partner_request(1, Environment.TEST)
    assert limits.count_partner_request(11, Environment.TEST).admitted
    assert limits.count_partner_request(1, Environment.LIVE).admitted
    assert not limits.count_partner_request(1, Environment.TEST).admitted


def test_partners_and_keys_with_the_same_number_do_not_share_a_window(limits: Limits) -> None:
    shared = FixedWindows()
    limits = evolve(limits, windows=shared, partner_windows=shared)
    for _ in range(2):
        limits.count_partner_request(1, Environment.TEST)
        limits.count_request(SECRET)
        limits.count_anonymous("1")
    assert set(shared.counts.values()) == {2}


def test_strangers_from_one_network_share_a_window(limits: Limits) -> None:
    assert limits.count_anonymous("2001:db8::1").admitted
    assert limits.count_anonymous("2001:db8::2").admitted
    refused = limits.count_anonymous("2001:db8::3")
    assert (refused.admitted, refused.remaining, refused.retry_after) == (False, 0, 7)
    assert limits.count_anonymous("2001:db8:0:1::1").admitted


def test_lost_windows_allow_partners_and_refuse_strangers(limits: Limits) -> None:
    unavailable = evolve(limits, partner_windows=LostWindows())
    for _ in range(10):
        result = unavailable.count_partner_request(1, Environment.TEST)
        assert result == WindowStatus(limit=2, remaining=2, reset_at=1_700_000_001)
    with pytest.raises(Unavailable):
        unavailable.count_anonymous("192.0.2.1")
    refused = unavailable.anonymous_status()
    assert (refused.limit, refused.remaining, refused.admitted) == (2, 0, False)
    assert refused.reset_at > 1_700_000_000


def test_address_has_a_failure_limit_across_emails(limits: Limits) -> None:
    for number in range(12):
        limits.count_failed_login(f"guess{number}@example.org", "192.0.2.1")
    for refused in (limits.check_login, limits.count_failed_login):
        with pytest.raises(TooMany):
            refused("ada@example.org", "192.0.2.1")
    limits.check_login("ada@example.org", "192.0.2.2")


def test_registrations_are_counted_per_client_and_refused_without_windows(limits: Limits) -> None:
    for host in range(3):
        limits.count_registration(f"2001:db8::{host}")  # one network of 64 bits
    with pytest.raises(TooMany):
        limits.count_registration("2001:db8::9")
    limits.count_registration("2001:db8:0:1::1")
    with pytest.raises(Unavailable):
        evolve(limits, windows=LostWindows()).count_registration("2001:db8::1")


def test_link_requests_are_counted_for_an_email_from_one_address_and_from_any(limits: Limits) -> None:
    for _ in range(2):
        limits.count_reset_request("ada@example.org", "192.0.2.1")
    with pytest.raises(TooMany):
        limits.count_reset_request("ada@example.org", "192.0.2.1")
    limits.count_reset_request("ada@example.org", "192.0.2.2")
    with pytest.raises(TooMany):
        limits.count_reset_request("ada@example.org", "192.0.2.3")


def test_link_requests_are_counted_for_an_address_with_any_email(limits: Limits) -> None:
    for number in range(3):
        limits.count_reset_request(f"{number}@example.org", "192.0.2.1")
    with pytest.raises(TooMany):
        limits.count_reset_request("ada@example.org", "192.0.2.1")


def test_link_requests_are_refused_without_windows(limits: Limits) -> None:
    with pytest.raises(Unavailable):
        evolve(limits, windows=LostWindows()).count_reset_request("ada@example.org", "192.0.2.1")


def test_logins_queue_per_email_until_their_network_is_suspected(limits: Limits) -> None:
    def queue(email: str, address: str = "192.0.2.1") -> str:
        return limits.login_queue(email, address)

    assert queue("ada@example.org") != queue("eve@example.org")
    for number in range(10):
        limits.count_failed_login(f"guess{number}@example.org", "192.0.2.1")

    assert queue("ada@example.org") == queue("eve@example.org")
    assert queue("ada@example.org") != queue("ada@example.org", "192.0.2.2")
    assert queue("ada@example.org", "192.0.2.2") != queue("eve@example.org", "192.0.2.2")


def test_bad_provider_keys_do_not_use_up_the_visitors_limit(limits: Limits) -> None:
    for _ in range(4):
        limits.count_bad_provider_key("192.0.2.1")
    with pytest.raises(TooMany):
        limits.count_bad_provider_key("192.0.2.1")

    limits.count_visitor("192.0.2.1")
