"""The danger model: whether a text describes a danger that is present, with learned weights."""
