"""Masking of personal data and secrets in logs."""

import pytest

from repaircore.masking import HIDDEN, masked

VIN = "1HGCM82633A004352"


@pytest.mark.parametrize(
    "secret",
    [
        VIN,
        VIN.lower(),
        VIN[:11],
        "ada@example.org",
        "ada.lovelace+shop@mail.example.co.uk",
        "+14155550123",
        "+1 415 555 0123",
        "(415) 555-0123",
        "415-555-0123",
        "415.555.0123",
        "sk_live_0123456789abcdefABCDEF",
        "pk_test_0123456789abcdefABCDEF",
        "mst_dGhlIHRva2Vu-X_9",
        "prl_6w6kP74lYefINtdTHUtVADAjbEoVmdmyjHXISIaRRGS",
        "fal_lf0r1yzrVi4opsAQj4HmQsExJurpOXAyycofWyS1tek",
        "whsec_dGhlIHNlY3JldA==",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOjF9.c2lnbmVk",
        "7ABC123",
        "8KLM29",
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "KeyError: '{}'",
        "GET /api/v1/fleet/{}/health failed",
        "/lookup?x={}&y=1",
        "detail: Key (name)=({}) already exists.",
        '{{"some": "{}"}}',
        "two of them: {0} and {0}.",
        "line\n{}\nline",
    ],
)
def test_personal_data_vehicles_and_keys_are_masked(secret: str, text: str) -> None:
    result = masked(text.format(secret))

    assert secret not in result
    assert HIDDEN in result


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("plate=A12345&state=CA", "A12345"),
        ('{"plate": "LUCKY"}', "LUCKY"),
        ("{'license_plate': 'A 1'}", "A 1"),
        ("password=correct horse", "correct"),
        ('{"password": "correct horse"}', "correct horse"),
        ("?code=4/0AX4&x=1", "4/0AX4"),
        ("postgresql://shop:hush@db/repairs", "hush"),
        ("postgresql://shop:hush@db/repairs", "shop"),
        ("Authorization: Bearer abc.def-123", "abc.def-123"),
        ("vin=short1", "short1"),
        ("email%3D, ada%40example.org", "ada"),
        ("phone: 5550123", "5550123"),
    ],
)
def test_value_is_masked_because_of_its_name(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "The database is not responding.",
        "Request 00f1a2b3c4d5e6f7 failed: OperationalError",
        "brake-pads-front in 90210 at 2026-01-31T12:00:00Z",
        "SQLSTATE 40P01, 23505, P0420 and SHA256 over UTF8",
        "[2026-01-31 12:00:00 +0000] worker 1234 was sent SIGTERM",
        "/usr/lib/python3.11/site-packages/flask/app.py, line 915, in full_dispatch_request",
        "apt_01J9ZK3V7Q8R2M4N6P8S0T1V2W is taken; 127.0.0.1:6379 is not",
    ],
)
def test_other_text_is_unchanged(text: str) -> None:
    assert masked(text) == text
