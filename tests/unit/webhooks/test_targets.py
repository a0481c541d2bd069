"""Where events may be sent."""

import pytest

from repaircore.kernel.callers import Environment
from repaircore.webhooks.targets import is_public, may_connect, url_error

LIVE, TEST = Environment.LIVE, Environment.TEST


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/hooks",
        "https://EXAMPLE.com./hooks?from=shop&x=%20",
        "https://hooks.example.com:8443/a/b",
        "https://example.com:443/",
        "https://example.com:1024/",
        "https://example.com:65535/",
        "https://xn--mnchen-3ya.de/",
        "https://93.184.216.34/hooks",
        "https://[2606:2800:220:1::1]:8443/hooks",
        "HTTPS://example.com?x=1",
        f"https://example.com/{'x' * 2028}",
    ],
)
def test_url_error_accepts_public_urls(url: str) -> None:
    assert url_error(url, LIVE) is None
    assert url_error(url, TEST) is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com/hooks",
        "ftp://example.com/",
        "http://example.com/hooks",
        "https://user:secret@example.com/",
        "https://example.com@10.0.0.1/",
        "https://example.com#fragment",
        "https://example.com/#fragment",
        "https://example.com\\@10.0.0.1/",
        "https://exam ple.com/",
        "https://example.com/\r\nx: y",
        "https://example.com/\x00",
        "https://127.0.0.1%2f.example.com/",
        "https://１２７.0.0.1/",
        "https://127。0。0。1/",
        "https://münchen.de/",
        "https://",
        "https:///hooks",
        "https://example..com/",
        "https://.example.com/",
        "https://-example.com/",
        "https://example.com:0/",
        "https://example.com:22/",
        "https://example.com:80/",
        "https://example.com:1023/",
        "https://example.com:65536/",
        "https://example.com:99999999/",
        "https://[::1/",
        "https://[fe80::1%25eth0]/",
        f"https://example.com/{'x' * 2029}",
    ],
)
def test_url_error_refuses_ambiguous_urls(url: str) -> None:
    assert url_error(url, LIVE) is not None
    assert url_error(url, TEST) is not None


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - nobody listens
        "255.255.255.255",
        "224.0.0.1",
        "198.18.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "167772161",
        "0xa000001",
        "0x0a.0.0.1",
        "012.0.0.1",
        "10.1",
        "10.0.1",
        "10.0.0.1.",
        "[fc00::1]",
        "[fe80::1]",
        "[ff02::1]",
        "[::]",
        "[::ffff:10.0.0.1]",
        "[::ffff:a00:1]",
        "[::10.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[64:ff9b::a00:1]",
        "[64:ff9b:1::a00:1]",
        "[2002:a00:1::1]",
        "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
        "[2001:db8::1]",
        "printer",
        "printer.local",
        "printer.local.",
        "db.internal",
        "metadata.google.internal",
        "router.lan",
        "router.home.arpa",
        "1.0.0.10.in-addr.arpa",
        "example.test",
    ],
)
def test_url_error_refuses_private_addresses_in_any_spelling(host: str) -> None:
    assert url_error(f"https://{host}/", LIVE) is not None
    assert url_error(f"https://{host}/", TEST) is not None


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "[::1]"])
def test_url_error_allows_this_machine_in_test_only(host: str) -> None:
    for scheme in ("http", "https"):
        assert url_error(f"{scheme}://{host}:8080/hooks", TEST) is None
        assert url_error(f"{scheme}://{host}:8080/hooks", LIVE) is not None


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "017700000001", "127.1", "0x7f.1", "0177.0.0.1", "localhost."]
)
def test_url_error_refuses_odd_spellings_of_this_machine(host: str) -> None:
    assert url_error(f"https://{host}:8080/", LIVE) is not None
    assert url_error(f"http://{host}:8080/", TEST) is not None


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_may_connect_allows_public_addresses_over_tls(address: str) -> None:
    assert is_public(address)
    assert may_connect(address, environment=LIVE, scheme="https")
    assert not may_connect(address, environment=LIVE, scheme="http")
    assert not may_connect(address, environment=TEST, scheme="http")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "fe80::1",
        "fe80::1%eth0",
        "2606:2800:220:1::1%eth0",
        "fec0::1",
        "::",
        "no address",
    ],
)
def test_may_connect_refuses_everything_else(address: str) -> None:
    assert not is_public(address)
    assert not may_connect(address, environment=LIVE, scheme="https")


@pytest.mark.parametrize("address", ["10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "64:ff9b::7f00:1"])
def test_may_connect_allows_only_this_machine_in_test(address: str) -> None:
    assert may_connect("127.0.0.1", environment=TEST, scheme="http")
    assert may_connect("::1", environment=TEST, scheme="https")
    assert not may_connect(address, environment=TEST, scheme="https")
