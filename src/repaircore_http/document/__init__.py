"""The document of the API: OpenAPI 3.1, made of what the routes declare."""
