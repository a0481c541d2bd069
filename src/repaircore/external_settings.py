"""Settings for external services: models, the vision model, the connected-car provider, e-mail and text messages."""

from typing import Final

from attrs import frozen

from repaircore.setting_table import (
    KEY,
    KEY_NAME,
    MAIL_SERVER,
    SCOPES,
    SECRETS,
    SENDER,
    TEXT,
    URL,
    one_of,
    own_settings,
    require_valid,
    setting,
)

OFFLINE: Final = "offline"
OFF: Final = "off"
COMPONENT_TABLE: Final = "component-table"
HOURS_REGRESSION: Final = "hours-regression"
_FORMULAS: Final = (COMPONENT_TABLE, HOURS_REGRESSION)
TWILIO: Final = "https://api.twilio.com"


@frozen(kw_only=True)
class ModelSettings:
    """A price model, the describer or the diagnostician: ``offline``, or a server that speaks one of two protocols.

    The name of an offline price model is ``component-table`` or ``hours-regression``; models A and B have different
    defaults. The offline describer and diagnostician ignore their names.

    Raises:
        Invalid: with every bad setting, under the argument's name.
    """

    kind: str = setting(one_of(OFFLINE, "openai", "anthropic"), OFFLINE, help="")
    url: str | None = setting(URL, help="the URL of its server; by default, OpenAI's or Anthropic's own")
    api_key: str | None = setting(KEY, help="its API key; a local server may not need one")
    name: str | None = setting(
        TEXT, help="the model's name on the server; required unless the model is offline"
    )

    def __attrs_post_init__(self) -> None:
        require_valid(self, name=self._wrong_name())

    def _wrong_name(self) -> str | None:
        if self.kind != OFFLINE:
            return None if self.name else "is required for a model that is not offline"
        is_formula = self.name is None or self.name in _FORMULAS
        return None if is_formula else f"must be one of {', '.join(_FORMULAS)} for an offline model"


@frozen(kw_only=True)
class VisionSettings:
    """Settings for the vision model: none, or a model on a server.

    It reads warning lights, and VINs in images where no other reader finds one.

    Raises:
        Invalid: with every bad setting, under the argument's name.
    """

    kind: str = setting(one_of(OFF, "openai", "anthropic"), OFF, help="")
    url: str | None = setting(URL, help="the URL of its server; by default, OpenAI's or Anthropic's own")
    api_key: str | None = setting(KEY, help="its API key; a local server may not need one")
    name: str | None = setting(TEXT, help="the model's name on the server; required unless the model is off")

    def __attrs_post_init__(self) -> None:
        is_nameless = self.is_on and not self.name
        require_valid(self, name="is required for a vision model" if is_nameless else None)

    @property
    def is_on(self) -> bool:
        """Whether there is a vision model."""
        return self.kind != OFF


@frozen(kw_only=True)
class CarProviderSettings:
    """Settings for the connected-car provider: none, or all that are needed to get drivers' consent and use its API.

    Raises:
        Invalid: with every bad setting, under the argument's name.
    """

    authorize_url: str | None = setting(
        URL, help="where drivers consent to the connected-car provider sharing their cars' data"
    )
    token_url: str | None = setting(URL, help="where the provider exchanges their consent for tokens")
    api_url: str | None = setting(URL, help="a server that speaks the car provider protocol")
    revoke_url: str | None = setting(URL, help="where consent is revoked (RFC 7009)")
    client_id: str | None = setting(KEY_NAME, help="your client ID at the provider")
    client_secret: str | None = setting(KEY, help="your client secret; a public client has none")
    scopes: str | None = setting(SCOPES, help="the scopes that drivers agree to, separated by spaces")
    keys: tuple[str, ...] = setting(SECRETS, (), help="the keys that encrypt stored tokens, newest first")

    def __attrs_post_init__(self) -> None:
        names = [name for name, _ in own_settings(type(self))]
        is_chosen = any(getattr(self, name) for name in names if name != "keys")
        needed = ("authorize_url", "token_url", "api_url", "client_id") if is_chosen else ()
        missing = [name for name in needed if not getattr(self, name)]
        require_valid(self, **dict.fromkeys(missing, "is required for a connected-car provider"))

    @property
    def is_on(self) -> bool:
        """Whether there is a provider."""
        return self.api_url is not None


@frozen(kw_only=True)
class MailSettings:
    """How e-mails are sent: not at all, or through a mail server.

    Raises:
        Invalid: with every bad setting, under the argument's name.
    """

    url: str | None = setting(
        MAIL_SERVER,
        variable="SMTP_URL",
        help="the SMTP server that sends e-mails to customers of live partners, and password-reset links",
    )
    sender: str | None = setting(SENDER, variable="MAIL_FROM", help="the sender of these e-mails")

    def __attrs_post_init__(self) -> None:
        is_senderless = self.url is not None and self.sender is None
        require_valid(self, sender="is required for a mail server" if is_senderless else None)

    @property
    def is_on(self) -> bool:
        """Whether e-mails are sent."""
        return self.url is not None


@frozen(kw_only=True)
class SmsSettings:
    """How text messages are sent: not at all, through the operator's gateway, or through Twilio.

    These settings also choose the server that provides masked numbers, if any.

    Raises:
        Invalid: with every bad setting, under the argument's name.
    """

    url: str | None = setting(
        URL, help="a server that speaks the SMS gateway protocol, through which text messages are sent"
    )
    token: str | None = setting(KEY, help="its bearer token")
    masking_url: str | None = setting(
        URL,
        help="a server that provides masked numbers over the SMS gateway protocol, so that customers and their providers or mechanics can call each other",
    )
    masking_fallback: str = setting(
        one_of("phone", "hidden"),
        "phone",
        help="what to show when there is no masked number: `phone` or `hidden`",
    )
    twilio_account_sid: str | None = setting(
        KEY_NAME,
        variable="TWILIO_ACCOUNT_SID",
        help="the Twilio account that sends text messages when no gateway is set",
    )
    twilio_auth_token: str | None = setting(KEY, variable="TWILIO_AUTH_TOKEN", help="its auth token")
    twilio_from: str | None = setting(
        KEY_NAME,
        variable="TWILIO_FROM",
        help="the number or messaging service that text messages are sent from",
    )
    twilio_url: str = setting(
        URL, TWILIO, variable="TWILIO_URL", help="Twilio, or a server that speaks its API"
    )

    def __attrs_post_init__(self) -> None:
        twilio = ("twilio_account_sid", "twilio_auth_token", "twilio_from")
        is_chosen = any(getattr(self, name) for name in twilio)
        missing = [name for name in twilio if is_chosen and not getattr(self, name)]
        require_valid(self, **dict.fromkeys(missing, "is required to send through Twilio"))

    @property
    def is_on(self) -> bool:
        """Whether text messages are sent."""
        return self.url is not None or self.twilio_account_sid is not None
