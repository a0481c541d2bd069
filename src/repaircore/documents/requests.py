"""Input of what is done with a visit."""

from typing import Annotated

from attrs import frozen

from repaircore.kernel.ids import MAX_INTEGER
from repaircore.kernel.rules import Range


@frozen(kw_only=True)
class ActOnVisit:
    """The version of the visit that the caller saw."""

    version: Annotated[int, Range(1, MAX_INTEGER)]


@frozen(kw_only=True)
class SendVisit(ActOnVisit):
    """The version of the visit that the caller saw, and whether its customer gets the link by mail."""

    by_mail: bool = False
