"""The paths and operations of the document, built from routes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from inspect import getdoc
from typing import Any, Final

import attrs
from werkzeug.routing import Rule

from repaircore_http.document.descriptions import CREDENTIALS, HEADERS, PATH_PARAMETERS, description_of
from repaircore_http.document.error_responses import error_responses, success_headers
from repaircore_http.document.schemas import Schema, Schemas
from repaircore_http.guards import Auth
from repaircore_http.idempotency import KEY_HEADER
from repaircore_http.listing import CSV, ListQuery, WholeList
from repaircore_http.routes import GuardedRule, RawResponse

_SECURITY: Final[Mapping[Auth, list[dict[str, list[str]]]]] = {
    Auth.NONE: [],
    Auth.OPTIONAL: [{}, {"credential": []}],
    Auth.PARTNER: [{"partner": []}],
    Auth.PROVIDER: [{"provider": []}],
}
_PATH_PARAMETER: Final = re.compile(r"<(?:([a-z]+)(?:\([^)]*\))?:)?([A-Za-z_]+)>")
_CONVERTER_SCHEMAS: Final[Mapping[str, Schema]] = {
    "int": {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
    "uuid": {"type": "string", "format": "uuid"},
}


def path_of(rule: Rule) -> str:
    """Return the path with its parameters in braces."""
    return _PATH_PARAMETER.sub(lambda match: f"{{{match[2]}}}", rule.rule)


def operations_of(rules: Iterable[Rule]) -> Iterator[tuple[str, str, GuardedRule]]:
    """Yield the path, method and route of each operation, sorted by path."""
    operations = [
        (path_of(rule), method, rule)
        for rule in rules
        if isinstance(rule, GuardedRule)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    ]
    yield from sorted(operations, key=lambda operation: operation[:2])


class Operations:
    """Describes operations, and collects the schemas and responses that they refer to."""

    def __init__(self, views: Mapping[str, Any], examples: Mapping[str, Any]) -> None:
        self.schemas = Schemas()
        self.responses: dict[str, Schema] = {}
        self._views, self._examples = views, examples

    def describe(self, method: str, rule: GuardedRule) -> Schema:
        """Return the description of one operation.

        Raises:
            LookupError: its route does not declare its response.
        """
        spec = rule.spec
        if not spec.is_declared:
            msg = (
                f"{method} {rule.rule} does not declare its response: pass returns=… (and accepts=…, query=…,"
                " status=…) to its route, as repaircore_http.routes describes."
            )
            raise LookupError(msg)
        assert rule.auth is not None  # noqa: S101 - the application has started
        example = self._examples.get(rule.endpoint, {})
        summary, paragraphs = _summary_and_paragraphs(self._views[rule.endpoint])
        operation: Schema = {
            "operationId": rule.endpoint.replace(".", "_"),
            "summary": summary,
            "description": " ".join([*paragraphs, CREDENTIALS[rule.auth]]),
            "tags": [spec.tag or "other"],
            "security": _SECURITY.get(rule.auth, [{"credential": []}]),
        }
        if parameters := [*self._parameters(rule, example)]:
            operation["parameters"] = parameters
        if spec.accepts is not None or spec.file is not None:
            operation["requestBody"] = self._request_body(rule, example)
        return {**operation, "responses": self._responses(rule, example)}

    def _parameters(self, rule: GuardedRule, example: Mapping[str, Any]) -> Iterator[Schema]:
        arguments = example.get("path", {})
        for converter, name in _PATH_PARAMETER.findall(rule.rule):
            description = PATH_PARAMETERS.get((rule.endpoint, name)) or description_of(name)
            yield {
                "name": name,
                "in": "path",
                "required": True,
                **({} if description is None else {"description": description}),
                "schema": dict(_CONVERTER_SCHEMAS.get(converter, {"type": "string", "minLength": 1})),
                **({"example": arguments[name]} if name in arguments else {}),
            }
        spec = rule.spec
        if spec.query is not None:
            yield from self._query_parameters(
                spec.query, example.get("query", {}), body_too=spec.accepts is not None
            )
        for name in spec.headers:
            yield _header_parameter(name, {"type": "string"})
        if rule.idempotent:
            yield _header_parameter(
                KEY_HEADER, {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
            )

    def _query_parameters(
        self, shape: type[Any], arguments: Mapping[str, Any], *, body_too: bool
    ) -> Iterator[Schema]:
        required = {field.name for field in attrs.fields(shape) if field.default is attrs.NOTHING}
        for name, full in self.schemas.properties(shape).items():
            schema = _without_null(full)
            description = schema.pop("description", "")
            if body_too and name in required:
                description = f"{description} Required, here or in the body.".strip()
            yield {
                "name": name,
                "in": "query",
                "required": name in required and not body_too,
                **({"description": description} if description else {}),
                "schema": schema,
                **({"example": arguments[name]} if name in arguments else {}),
            }

    def _request_body(self, rule: GuardedRule, example: Mapping[str, Any]) -> Schema:
        spec = rule.spec
        file = spec.file
        body: Schema = {"type": "object", "properties": {}}
        if spec.accepts is not None:
            body = self.schemas.body(spec.accepts, optional=spec.partial or spec.query is not None)
        content: Schema = {}
        if file is None or not file.required:
            content["application/json"] = _with_example(body, example.get("body"))
        if file is not None:
            binary = {
                "type": "string",
                "contentMediaType": file.media_types,
                "description": f"A file: {file.media_types}.",
            }
            own = [name for name in body.get("required", ()) if name != file.instead_of]
            required = [*own, *([file.field] if file.required else ())]
            form = {**body, "properties": {**body["properties"], file.field: binary}, "required": required}
            content["multipart/form-data"] = {
                "schema": form,
                "encoding": {file.field: {"contentType": file.media_types}},
            }
        return {"required": bool(body.get("required")) or bool(file and file.required), "content": content}

    def _responses(self, rule: GuardedRule, example: Mapping[str, Any]) -> Schema:
        spec = rule.spec
        headers = success_headers(rule)
        response = self._response(spec.returns, example.get("response"), headers)
        if spec.query is not None and issubclass(spec.query, ListQuery | WholeList):
            response["content"][CSV] = {"schema": {"type": "string", "description": _WHOLE_LIST}}
        responses = {str(spec.status): response}
        for status, shape in spec.responses.items():
            responses[str(status)] = self._response(shape, None, headers)
        return {**responses, **error_responses(rule, self.schemas, self.responses)}

    def _response(self, shape: Any, example: Any, headers: Schema) -> Schema:
        if isinstance(shape, RawResponse):
            schema = {"type": "object" if shape.media_type == "application/json" else "string"}
            kinds = shape.media_type.split(", ") if shape.media_type else []
            body = {"content": {kind: {"schema": schema} for kind in kinds}} if kinds else {}
            return {"description": shape.description, "headers": headers, **body}
        schema = self.schemas.of(shape)
        component = self.schemas.components.get(schema.get("$ref", "").rpartition("/")[2], schema)
        content = {"application/json": _with_example(schema, example)}
        return {"description": component.get("description", "Done."), "headers": headers, "content": content}


_WHOLE_LIST: Final = (
    "Everything that the filters select: a column for each field, with dotted names for nested objects."
)


def _header_parameter(name: str, schema: Schema) -> Schema:
    return {"name": name, "in": "header", "description": HEADERS[name], "required": False, "schema": schema}


def _with_example(schema: Schema, example: Any) -> Schema:
    return {"schema": schema} if example is None else {"schema": schema, "example": example}


def _without_null(schema: Schema) -> Schema:
    """Return a schema without null, which a query string cannot express."""
    kind, stripped = schema.get("type"), dict(schema)
    if isinstance(kind, list):
        stripped["type"] = next(name for name in kind if name != "null")
        if "enum" in stripped:
            stripped["enum"] = [value for value in stripped["enum"] if value is not None]
    return stripped


def _summary_and_paragraphs(view: Any) -> tuple[str, list[str]]:
    """Return the first line of a view's docstring, and the paragraphs after it."""
    summary, _, rest = (getdoc(view) or "").partition("\n")
    paragraphs = [" ".join(paragraph.split()).replace("``", "`") for paragraph in rest.split("\n\n")]
    return summary.strip().removesuffix("."), [paragraph for paragraph in paragraphs if paragraph]
