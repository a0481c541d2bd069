"""The OpenAPI 3.1 document, made of what the routes declare."""
