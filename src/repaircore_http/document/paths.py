"""From routes to the paths and operations of the document."""

import re
from collections.abc import Iterable, Iterator, Mapping
from inspect import getdoc
from typing import Any, Final

import attrs
from werkzeug.routing import Rule

from repaircore_http.document.refusals import answer_headers, refusals
from repaircore_http.document.schemas import Schema, Schemas
from repaircore_http.document.words import FORMS_OF_CREDENTIAL, HEADERS, said_of
from repaircore_http.guards import Auth
from repaircore_http.idempotency import KEY_HEADER
from repaircore_http.routes import GuardedRule, RawResponse

_SECURITY: Final[Mapping[Auth, list[dict[str, list[str]]]]] = {
    Auth.NONE: [],
    Auth.OPTIONAL: [{}, {"credential": []}],
    Auth.PARTNER: [{"partner": []}],
}
_ARGUMENT: Final = re.compile(r"<(?:([a-z]+)(?:\([^)]*\))?:)?([A-Za-z_]+)>")
_CONVERTED: Final[Mapping[str, Schema]] = {
    "int": {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
    "uuid": {"type": "string", "format": "uuid"},
}


def path_of(rule: Rule) -> str:
    """Give the path with its parameters in braces."""
    return _ARGUMENT.sub(lambda found: f"{{{found[2]}}}", rule.rule)


def operations_of(rules: Iterable[Rule]) -> Iterator[tuple[str, str, GuardedRule]]:
    """Give path, method and route of each operation, in the order of the paths."""
    listed = [
        (path_of(rule), method, rule)
        for rule in rules
        if isinstance(rule, GuardedRule)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    ]
    yield from sorted(listed, key=lambda one: one[:2])


class Paths:
    """Writes operations; schemas and responses that are referred to gather in it."""

    def __init__(self, views: Mapping[str, Any], examples: Mapping[str, Any]) -> None:
        self.schemas = Schemas()
        self.responses: dict[str, Schema] = {}
        self._views, self._examples = views, examples

    def operation(self, method: str, rule: GuardedRule) -> Schema:
        """Describe one operation.

        Raises:
            LookupError: its route does not say what it tells.
        """
        spec = rule.spec
        if not spec.is_declared:
            msg = (
                f"{method} {rule.rule} does not declare its answer: give its route returns=… (and accepts=…, query=…,"
                " status=…), as repaircore_http.routes describes."
            )
            raise LookupError(msg)
        assert rule.auth is not None  # noqa: S101 - the application has started
        example = self._examples.get(rule.endpoint, {})
        summary, text = _words(self._views[rule.endpoint])
        told: Schema = {
            "operationId": rule.endpoint.replace(".", "_"),
            "summary": summary,
            "description": " ".join([*text, FORMS_OF_CREDENTIAL[rule.auth]]),
            "tags": [spec.tag or "other"],
            "security": _SECURITY.get(rule.auth, [{"credential": []}]),
        }
        if parameters := [*self._parameters(rule, example)]:
            told["parameters"] = parameters
        if spec.accepts is not None or spec.file is not None:
            told["requestBody"] = self._request(rule, example)
        return {**told, "responses": self._responses(rule, example)}

    def _parameters(self, rule: GuardedRule, example: Mapping[str, Any]) -> Iterator[Schema]:
        sent = example.get("path", {})
        for kind, name in _ARGUMENT.findall(rule.rule):
            schema = dict(_CONVERTED.get(kind, {"type": "string", "minLength": 1}))
            words = said_of(name)
            yield {
                "name": name,
                "in": "path",
                "required": True,
                **({} if words is None else {"description": words}),
                "schema": schema,
                **({"example": sent[name]} if name in sent else {}),
            }
        if rule.spec.query is not None:
            yield from self._query(rule.spec.query, example.get("query", {}), body_too=rule.spec.accepts)
        for name in rule.spec.headers:
            yield _header(name, {"type": "string"})
        if rule.idempotent:
            yield _header(
                KEY_HEADER, {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
            )

    def _query(self, shape: type[Any], sent: Mapping[str, Any], *, body_too: Any) -> Iterator[Schema]:
        required = {field.name for field in attrs.fields(shape) if field.default is attrs.NOTHING}
        for name, full in self.schemas.properties(shape).items():
            schema = _without_null(full)
            words = schema.pop("description", "")
            if body_too and name in required:
                words = f"{words} Required, here or in the body.".strip()
            yield {
                "name": name,
                "in": "query",
                "required": name in required and not body_too,
                **({"description": words} if words else {}),
                "schema": schema,
                **({"example": sent[name]} if name in sent else {}),
            }

    def _request(self, rule: GuardedRule, example: Mapping[str, Any]) -> Schema:
        spec = rule.spec
        shape, file = spec.accepts, spec.file
        optional = spec.partial or spec.query is not None
        body: Schema = {"type": "object", "properties": {}}
        if shape is not None:
            body = self.schemas.body(shape, optional=optional)
        content: Schema = {}
        if file is None or not file.required:
            content["application/json"] = _with_example(body, example.get("body"))
        if file is not None:
            binary = {
                "type": "string",
                "contentMediaType": file.media_types,
                "description": f"A file: {file.media_types}.",
            }
            needed = [*body.get("required", ()), *([file.field] if file.required else ())]
            form = {**body, "properties": {**body["properties"], file.field: binary}, "required": needed}
            content["multipart/form-data"] = {
                "schema": form,
                "encoding": {file.field: {"contentType": file.media_types}},
            }
        return {"required": bool(body.get("required")) or bool(file and file.required), "content": content}

    def _responses(self, rule: GuardedRule, example: Mapping[str, Any]) -> Schema:
        spec = rule.spec
        headers = answer_headers(rule)
        told = {str(spec.status): self._answer(spec.returns, example.get("response"), headers)}
        for status, shape in spec.responses.items():
            told[str(status)] = self._answer(shape, None, headers)
        return {**told, **refusals(rule, self.schemas, self.responses)}

    def _answer(self, shape: Any, example: Any, headers: Schema) -> Schema:
        if isinstance(shape, RawResponse):
            schema = {"type": "object" if shape.media_type == "application/json" else "string"}
            body = {"content": {shape.media_type: {"schema": schema}}} if shape.media_type else {}
            return {"description": shape.description, "headers": headers, **body}
        schema = self.schemas.of(shape)
        referred = self.schemas.components.get(schema.get("$ref", "").rpartition("/")[2], schema)
        words = referred.get("description", "Done.")
        content = {"application/json": _with_example(schema, example)}
        return {"description": words, "headers": headers, "content": content}


def _header(name: str, schema: Schema) -> Schema:
    return {"name": name, "in": "header", "description": HEADERS[name], "required": False, "schema": schema}


def _with_example(schema: Schema, example: Any) -> Schema:
    return {"schema": schema} if example is None else {"schema": schema, "example": example}


def _without_null(schema: Schema) -> Schema:
    """Take null out: a query string cannot spell it."""
    kind, others = schema.get("type"), dict(schema)
    if isinstance(kind, list):
        others["type"] = next(one for one in kind if one != "null")
        if "enum" in others:
            others["enum"] = [value for value in others["enum"] if value is not None]
    return others


def _words(view: Any) -> tuple[str, list[str]]:
    """Give the first sentence of a view's docstring, and the paragraphs after it."""
    first, _, rest = (getdoc(view) or "").partition("\n")
    paragraphs = [" ".join(one.split()).replace("``", "`") for one in rest.split("\n\n")]
    return first.strip().removesuffix("."), [one for one in paragraphs if one]
