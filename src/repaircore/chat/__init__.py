"""Chats: a diagnosis by questions and answers."""
