"""Read forms once, before the view runs, and show rejected ones again with what was typed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, TypeVar, cast

import attrs
from attrs import Factory, frozen
from flask import g, request
from werkzeug.exceptions import BadRequest

from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.kernel.rules import FieldErrors
from repaircore.structuring import from_query, structure_partially
from repaircore_http.console.visitors import TOKEN, require_token
from repaircore_http.json_io import Validate, parse_input
from repaircore_http.uploads import is_form, uploaded_form

FORM_BYTES: Final = 64 * 1024
"""The maximum size of a form without a file, in bytes, unless its route says otherwise."""

FORM_FIELDS: Final = 100
"""The maximum number of fields of a multipart form, unless its route says otherwise."""

T = TypeVar("T")


@frozen(kw_only=True)
class FileField:
    """The file field of a route, its maximum size, and the text fields of the same form.

    If ``named`` is not empty, the name of the file is stored as a text field with that name.
    """

    field: str
    max_bytes: int
    too_large: Callable[[], Invalid]
    texts: tuple[str, ...] = ()
    named: str = ""


@frozen(kw_only=True)
class Form:
    """A form that was sent. ``file`` is None if none was chosen; it is deleted after the view has run."""

    texts: Mapping[str, Sequence[str]] = Factory(dict)
    file: BinaryIO | None = None

    def text(self, name: str) -> str:
        """Return the first value of a field, or "" if it has none."""
        return next(iter(self.texts.get(name, ())), "")

    @property
    def version(self) -> int | None:
        """Return the version of the record that the form is based on (``version``), or None if it has none."""
        text = self.text("version")
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= _VERSION_DIGITS else None


_VERSION_DIGITS: Final = 12


def form() -> Form:
    """Return the form of this request, which must have one."""
    return cast("Form", g.form)


def form_if_any() -> Form | None:
    """Return the form of this request, or None if it has no valid one."""
    return cast("Form | None", g.get("form"))


def take_query(names: Collection[str]) -> None:
    """Treat the query parameters with these names as a form, so that the page is filled in; ignore other parameters.

    Raises:
        HTTPException: 400 for a NUL character.
    """
    texts = {name: sent for name, sent in request.args.to_dict(flat=False).items() if name in names}
    if any("\x00" in text for sent in texts.values() for text in sent):
        raise BadRequest("The query string contains a NUL character.")
    g.form = Form(texts=texts)


def clear() -> None:
    """Discard the submitted form, so that the page shows empty forms."""
    g.pop("form", None)


def filled(shape: type[T], *, validate: Validate | None = None, numbers: Sequence[str] = ()) -> T:
    """Return the form as an instance of ``shape``, with values parsed and empty ones left out.

    The fields in ``numbers`` may have separators: ``84,000``, ``$1,200``.

    Raises:
        Invalid: with every bad field, including those that ``validate`` reports: see ``json_io.read_body``.
    """
    return parse_input(shape, _values(shape, numbers), validate=validate)


def partly_filled(
    shape: type[Any], *, numbers: Sequence[str] = (), **also: object
) -> tuple[dict[str, Any], FieldErrors]:
    """Return the valid fields of ``shape`` in the form, and the errors of the others.

    ``also`` adds fields that the form does not have under their own names.
    """
    return structure_partially(shape, {**_values(shape, numbers), **also})


def _values(shape: type[Any], numbers: Sequence[str]) -> dict[str, object]:
    names = {field.name for field in attrs.fields(cast("Any", shape))}
    texts = {
        name: [_without_separators(text) if name in numbers else text for text in sent]
        for name, sent in form().texts.items()
        if name in names and any(text.strip() for text in sent)
    }
    return from_query(shape, texts)


def _without_separators(text: str) -> str:
    return text.strip().removeprefix("$").replace(",", "").replace("\N{NO-BREAK SPACE}", "").strip()


@contextmanager
def sent(
    upload: FileField | None, *, form_bytes: int = FORM_BYTES, form_fields: int = FORM_FIELDS
) -> Iterator[Form]:
    """Yield the form of the request, with the file that the route takes; the file is deleted after the block.

    A form that takes no file may have at most ``form_bytes`` bytes and, if it is multipart, ``form_fields`` fields.

    Raises:
        Invalid: on the field of the file: it is too large, or not a single file.
        HTTPException: 400 for a malformed form, 413 for one that is too large.
    """
    if upload is None or not is_form():
        yield Form(texts=_texts(form_bytes, form_fields))
        return
    fields = (TOKEN, *upload.texts)
    with uploaded_form(
        fields,
        file=upload.field,
        max_bytes=upload.max_bytes,
        too_large=upload.too_large,
        on_rejection=_keep_texts,
        named=upload.named,
    ) as (texts, file):
        yield Form(texts=_all_listed(texts), file=_chosen(file))


def _keep_texts(texts: Mapping[str, Any]) -> None:
    """Keep the text fields that arrived before a rejected file, to show them in the form again."""
    kept = Form(texts=_all_listed(texts))
    with suppress(Forbidden):
        require_token(kept.text(TOKEN))
        g.form = kept


def _all_listed(texts: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    return {name: _listed(value) for name, value in texts.items()}


def _texts(form_bytes: int, form_fields: int) -> Mapping[str, Sequence[str]]:
    request.max_content_length = form_bytes
    request.max_form_memory_size = form_bytes
    request.max_form_parts = form_fields
    texts = request.form.to_dict(flat=False)
    if any("\x00" in text for sent in texts.values() for text in sent):
        raise BadRequest("The form contains a NUL character.")
    return texts


def _listed(value: Any) -> Sequence[str]:
    return value if isinstance(value, list) else [value]


def _chosen(file: BinaryIO | None) -> BinaryIO | None:
    """Return the file, or None for an empty one, which browsers send if none was chosen."""
    if file is None or not file.read(1):
        return None
    file.seek(0)
    return file
