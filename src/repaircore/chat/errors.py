"""What can go wrong with chats."""

from repaircore.kernel.errors import NotFound


class ChatNotFound(NotFound):
    """There is no such conversation, or none that the caller may see: nobody can tell which."""

    def __init__(self) -> None:
        super().__init__("Chat session not found.")
