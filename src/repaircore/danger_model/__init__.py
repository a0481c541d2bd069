"""The danger model: with learned weights, it judges whether a complaint describes a danger that is present."""
