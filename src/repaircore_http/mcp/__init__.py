"""The Model Context Protocol: the use cases as tools for AI agents, over the SDK of the protocol (extra ``mcp``).

``repaircore mcp`` serves one agent on standard input and output, as the installation itself; with ``--http`` it serves
many over HTTP, each with an API key.
"""
