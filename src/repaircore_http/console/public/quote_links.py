"""Links to checked quotes: create, open and delete them."""

from flask import url_for
from flask.typing import ResponseReturnValue

from repaircore_http.console.charts import quote_bar
from repaircore_http.console.pages import go, show
from repaircore_http.console.public.access import public_pages, unlisted, visitor
from repaircore_http.console.public.quote_checks import check_rows
from repaircore_http.console.public.quote_form import filled_rows, typed_rows
from repaircore_http.console.public.quotes import KINDS, lines_again
from repaircore_http.core import core

quote_links = public_pages("quote_links")


@quote_links.post("/quote/share", again=lines_again)
def share() -> ResponseReturnValue:
    """Check the lines again, and create a link to the result."""
    checked = check_rows(filled_rows(typed_rows()))
    link = core().shared_quotes.share(checked.report, visitor())
    return show(
        "public/quote_link.html",
        address=_public(url_for("quote_links.shared", token=link.token)),
        deletion=_public(url_for("quote_links.deletion", secret=link.deletion_secret)),
        expires_at=link.expires_at,
    )


@quote_links.get("/quote/share")
def after_sharing() -> ResponseReturnValue:
    """Redirect to the form when a browser opens this POST address with GET."""
    return go("quote_check.index")


@quote_links.get("/quote/<token>")
def shared(token: str) -> ResponseReturnValue:
    """Show a shared quote."""
    served = core()
    found = served.shared_quotes.get(token)
    page = show(
        "public/quote_shared.html",
        report=found.report,
        bar=quote_bar,
        kinds=KINDS,
        token=token,
        expires_at=found.expires_at,
        is_owner=served.shared_quotes.is_owner(found, visitor()),
    )
    return unlisted(page)


@quote_links.post("/quote/<token>/delete", again=shared)
def delete(token: str) -> ResponseReturnValue:
    """Delete a link that the visitor's account created."""
    core().shared_quotes.delete(token, visitor())
    return go("quote_check.index", done="quote-link-deleted")


@quote_links.get("/quote/delete/<secret>")
def deletion(secret: str) -> ResponseReturnValue:
    """Show what the secret link deletes, with a button to delete it."""
    found = core().shared_quotes.get_by_deletion(secret)
    return unlisted(show("public/quote_delete.html", report=found.report, secret=secret))


@quote_links.post("/quote/delete/<secret>", again=deletion)
def delete_by_secret(secret: str) -> ResponseReturnValue:
    """Delete the shared link that a secret deletion link belongs to."""
    core().shared_quotes.delete_by_secret(secret)
    return go("quote_check.index", done="quote-link-deleted")


def _public(path: str) -> str:
    return core().settings.public_url.rstrip("/") + path
