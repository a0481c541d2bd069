import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.json_text import DEEPEST, NotJsonError, decode_strict

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(JSON_VALUES, st.booleans())
def test_ordinary_json_is_decoded_as_by_the_standard_parser(value: Any, ascii_only: bool) -> None:  # noqa: FBT001 - hypothesis passes it
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert decode_strict(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not valid JSON"),
        (b"  ", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"{} x", "not valid JSON"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        (b'{"a": "\xff"}', "not valid JSON"),
        (b'{"a": "\xed\xa0\x80"}', "not valid JSON"),
        (b'{"a": "\x00"}', "not valid JSON"),
        (rb'{"a": "\ud800"}', "not valid JSON"),
        (rb'{"a": "\udc00abcdef"}', "not valid JSON"),
        (rb'{"\ud800abcdef": 1}', "not valid JSON"),
        (b'{"a": NaN}', "not valid JSON"),
        (b'{"a": Infinity}', "not valid JSON"),
        (b'{"a": -Infinity}', "not valid JSON"),
        (b'{"a": 1e999}', "not valid JSON"),
        (b'{"a": -1e999}', "not valid JSON"),
        (b'{"a": ' + b"1" * 5000 + b"}", "not valid JSON"),
        (rb'{"a": "x\u0000"}', "NUL"),
        (rb'{"\u0000": 1}', "NUL"),
        (rb'{"a": ["\\\u0000"]}', "NUL"),
        (b'{"a": 9223372036854775808}', "64 bits"),
        (b'{"a": [-9223372036854775809]}', "64 bits"),
        (b'{"a": {"b": 18446744073709551616}}', "64 bits"),
        (b'{"a": 1, "a": 1}', "twice"),
        (rb'{"a": 1, "\u0061": ":"}', "twice"),
        (b'[{"x": {"a": ":", "a": 2}}]', "twice"),
        (b"[" * 100_000, "deeper"),
        (b"[" * 100_000 + b"]" * 100_000, "deeper"),
        (b'{"a":' * 100_000, "deeper"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "deeper"),
    ],
    ids=lambda given: repr(given[:24]),
)
def test_odd_json_is_rejected_with_a_reason(body: bytes, reason: str) -> None:
    with pytest.raises(NotJsonError, match=reason):
        decode_strict(body)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (rb'{"a": 1, "notes": "x\u0000"}', "contains a NUL character in notes"),
        (rb'{"parts": [{"name": "x"}, {"name": "\u0000"}]}', "contains a NUL character in parts.1.name"),
        (rb'{"\u0000": 1}', "contains a NUL character"),
        (rb'{"a\n": "\u0000"}', "contains a NUL character"),
        (b'{"' + b"a" * 101 + rb'": "\u0000"}', "contains a NUL character"),
        (b'{"a": {"b": [1, 18446744073709551616]}}', "contains an integer that does not fit in 64 bits in a.b.1"),
        (b"[[" + b"[" * DEEPEST + b"18446744073709551616" + b"]" * (DEEPEST + 2), "is nested deeper"),
    ],
)  # fmt: skip
def test_refusal_names_the_field(body: bytes, sentence: str) -> None:
    with pytest.raises(NotJsonError) as refused:
        decode_strict(body)

    assert str(refused.value).startswith(sentence)
    assert str(refused.value) == sentence or "deeper" in sentence


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": 9223372036854775807, "b": -9223372036854775808}', {"a": 2**63 - 1, "b": -(2**63)}),
        (rb'{"a": "\\u0000"}', {"a": r"\u0000"}),
        (rb'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        (rb'{"a": "b\": 1, \"a\": 2", "c:d": ":"}', {"a": 'b": 1, "a": 2', "c:d": ":"}),
        (b'[{"a": 1}, {"a": 1}, {"b": {"a": 1}}]', [{"a": 1}, {"a": 1}, {"b": {"a": 1}}]),
    ],
)
def test_json_that_only_looks_odd_is_decoded(body: bytes, value: object) -> None:
    assert decode_strict(body) == value


def test_deepest_allowed_nesting_is_decoded() -> None:
    assert decode_strict(b"[" * DEEPEST + b"]" * DEEPEST)


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_rejected(body: bytes) -> None:
    try:
        value = decode_strict(body)
    except NotJsonError:
        return
    assert json.loads(body) == value
