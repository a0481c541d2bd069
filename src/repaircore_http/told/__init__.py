"""What is told: the shapes of answers, a module for each group of operations.

They are dictionaries at run time, as the presenters write them, and cost nothing there; the document of the API is
made of them, and the tests hold every answer to them.
"""
