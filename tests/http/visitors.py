"""A visitor with a browser: cookies, forms and redirects."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from flask.testing import FlaskClient
from typing_extensions import override
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from repaircore.core import Core
from repaircore.kernel.callers import Role
from repaircore_http.core import EXTENSION

PASSWORD = "correct horse"
_SESSION = "repaircore_session"
_OURS = {"Sec-Fetch-Site": "same-origin"}


class Page(HTMLParser):
    """The contents of a page: its forms' addresses, its fields and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: list[dict[str, str]] = []
        self.actions: list[str] = []
        self.labels: set[str] = set()
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self._words: list[str] = []
        self._within: list[str] = []
        self.feed(html)

    @property
    def words(self) -> str:
        """Return the text, with single spaces."""
        return " ".join(" ".join(self._words).split())

    def value(self, name: str) -> str:
        """Return the value of the first field with a name."""
        return next(field.get("value", "") for field in self.fields if field.get("name") == name)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag in {"input", "select", "textarea"}:
            self.fields.append({"tag": tag, **attributes})
        if tag == "form":
            self.actions.append(attributes["action"])
        if tag == "label" and "for" in attributes:
            self.labels.add(attributes["for"])
        if tag in {"script", "style"}:
            self._within.append(tag)

    @override
    def handle_endtag(self, tag: str) -> None:
        if self._within and self._within[-1] == tag:
            self._within.pop()

    @override
    def handle_data(self, data: str) -> None:
        if not self._within:
            self._words.append(data)


def encoded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a form. Werkzeug would leave the temporary file of a large upload open."""
    if not any(isinstance(value, tuple) for value in fields.values()):
        return {"data": fields}
    files = {
        name: FileStorage(value[0], filename=value[1], content_type=value[2] if len(value) > 2 else None)
        if isinstance(value, tuple)
        else value
        for name, value in fields.items()
    }
    boundary, body = encode_multipart(files)
    return {"data": body, "content_type": f"multipart/form-data; boundary={boundary}"}


class Visitor:
    """A browser that keeps its cookies and sends the hidden fields of its pages' forms."""

    def __init__(self, client: FlaskClient, *, secure: bool = False) -> None:
        self.client = client
        self.base = "https://localhost" if secure else "http://localhost"
        self.email = ""
        self._token = ""
        self._hidden_fields: dict[str, str] = {}

    @classmethod
    def returning(cls, client: FlaskClient, name: str, session: str) -> "Visitor":
        """Return a visitor who registered before, with their session."""
        result = cls(client)
        result.email = f"{name.lower()}@example.org"
        client.set_cookie(_SESSION, session)
        return result

    @property
    def session(self) -> str:
        """Return the value of the session cookie."""
        cookie = self.client.get_cookie(_SESSION)
        assert cookie is not None
        return cookie.value

    def get(self, path: str, *, follow: bool = False, **options: Any) -> TestResponse:
        """Open a page, and remember the token of its forms."""
        answer = self.client.get(path, base_url=self.base, follow_redirects=follow, **options)
        self._remember_token(answer)
        return answer

    def page(self, path: str) -> Page:
        """Open a page that exists."""
        answer = self.get(path, follow=True)
        assert answer.status_code == 200, answer.text
        return Page(answer.text)

    def post(
        self,
        path: str,
        fields: Mapping[str, Any] | None = None,
        *,
        follow: bool = False,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> TestResponse:
        """Send a form of the last page."""
        all_fields = {
            "form_token": self._token if token is None else token,
            **self._hidden_fields,
            **(fields or {}),
        }
        answer = self.client.post(
            path,
            **encoded(all_fields),
            base_url=self.base,
            headers=_OURS if headers is None else headers,
            follow_redirects=follow,
            buffered=True,
        )
        self._remember_token(answer)
        return answer

    @property
    def token(self) -> str:
        """Return the token of the forms on the last page."""
        return self._token

    def register(self, name: str) -> TestResponse:
        """Register a new account."""
        self.email = f"{name.lower()}@example.org"
        self.get("/console/register")
        answer = self.post(
            "/console/register", {"name": name, "email": self.email, "password": PASSWORD}, follow=True
        )
        assert answer.status_code == 200, answer.text
        return answer

    def log_in(self, password: str = PASSWORD, **more: str) -> TestResponse:
        """Log in."""
        self.get("/console/login")
        return self.post("/console/login", {"email": self.email, "password": password, **more})

    def _remember_token(self, answer: TestResponse) -> None:
        if answer.mimetype != "text/html":
            return
        found = re.search(r'name="form_token" value="([0-9a-f]{64})"', answer.text or "")
        if found is not None:
            self._token = found[1]
        moves = re.search(r'name="moves" value="(\d+)"', answer.text or "")
        if moves is not None:
            self._hidden_fields = {"moves": moves[1]}


def visitor(client: FlaskClient, name: str, *, core: Core | None = None) -> Visitor:
    """Return a visitor with an account, on a page of theirs; with a core, an admin without an entry in the audit log.

    The account is not created in the console, which is slower: ``Visitor.register``.
    """
    accounts = client.application.extensions[EXTENSION].accounts
    email = f"{name.lower()}@example.org"
    registered = accounts.register(name=name, email=email, password=PASSWORD)
    result = Visitor.returning(client, name, registered.session_token)
    if core is not None:
        with core.storage.transaction() as work:
            work.users.set_role(registered.user.id, Role.ADMIN)
    answer = result.get("/console/account")
    assert answer.status_code == 200, answer.text
    return result
