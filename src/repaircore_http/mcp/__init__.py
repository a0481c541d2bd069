"""The Model Context Protocol: use cases as tools for AI agents, based on the SDK of the protocol (extra ``mcp``).

``repaircore mcp`` serves one agent on standard input and output, as the installation itself; with ``--http``, it serves
many over HTTP, each with an API key.
"""
