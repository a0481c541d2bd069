"""Errors of chats."""

from repaircore.kernel.errors import NotFound


class ChatNotFound(NotFound):
    """There is no such chat, or none that the caller may see; the answer does not reveal which."""

    def __init__(self) -> None:
        super().__init__("Chat session not found.")
