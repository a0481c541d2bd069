"""Chat errors."""

from repaircore.kernel.errors import NotFound


class ChatNotFound(NotFound):
    """There is no such chat, or the caller may not see it; the error does not reveal which."""

    def __init__(self) -> None:
        super().__init__("Chat session not found.")
