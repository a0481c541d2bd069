"""The short browser and network that a session stores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.accounts.devices import short_browser, short_network

CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1"
ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36"


@pytest.mark.parametrize(
    ("user_agent", "browser"),
    [
        (CHROME, "Chrome on Windows"),
        (f"{CHROME} Edg/131.0.0.0", "Edge on Windows"),
        (f"{CHROME} OPR/115.0.0.0", "Opera on Windows"),
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        (ANDROID, "Chrome on Android"),
        ("Mozilla/5.0 Firefox/133.0", "Firefox"),
        ("curl/8.5.0", "curl"),
        ("python-requests/2.32", "python-requests"),
        ("x" * 100, "x" * 30),
        ("", None),
        ("123", None),
        ("<script>", None),
    ],
)
def test_short_browser_is_a_name_and_a_system(user_agent: str, browser: str | None) -> None:
    assert short_browser(user_agent) == browser


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2::77", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/48"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("unknown", None),
        ("", None),
    ],
)
def test_short_network_omits_the_device(address: str, network: str | None) -> None:
    assert short_network(address) == network


@given(st.text())
def test_short_forms_of_any_text_are_short(text: str) -> None:
    assert len(short_browser(text) or "") <= 40
    assert len(short_network(text) or "") <= 45
