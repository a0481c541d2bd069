"""Telling partners what happens: who subscribed to what, and the deliveries that are signed, sent and tried again."""
