"""Chats that diagnose a vehicle by asking questions."""
