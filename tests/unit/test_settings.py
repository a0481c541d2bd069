"""Settings: read and validated all at once, shown without secrets."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.addresses import database_address, is_mail_server, redis_address
from repaircore.external_settings import (
    CarProviderSettings,
    MailSettings,
    ModelSettings,
    SmsSettings,
    VisionSettings,
)
from repaircore.kernel.errors import Invalid
from repaircore.retention_settings import RetentionSettings
from repaircore.settings import Settings

POSTGRES = "postgresql+psycopg://shop@db/repairs"
FULL = {
    "REPAIRCORE_DATABASE_URL": "postgresql+psycopg://shop:hush-db@db.example/repairs",
    "REPAIRCORE_MODEL_A_KIND": "openai",
    "REPAIRCORE_MODEL_A_URL": "https://user:hush-url@models.example/v1",
    "REPAIRCORE_MODEL_A_API_KEY": "hush-a",
    "REPAIRCORE_MODEL_A_NAME": "big",
    "REPAIRCORE_MODEL_B_KIND": "anthropic",
    "REPAIRCORE_MODEL_B_URL": "https://other.example",
    "REPAIRCORE_MODEL_B_API_KEY": "hush-b",
    "REPAIRCORE_MODEL_B_NAME": "small",
    "REPAIRCORE_DESCRIBER_KIND": "openai",
    "REPAIRCORE_DESCRIBER_URL": "https://writer.example",
    "REPAIRCORE_DESCRIBER_API_KEY": "hush-d",
    "REPAIRCORE_DESCRIBER_NAME": "poet",
    "REPAIRCORE_DIAGNOSTICIAN_KIND": "anthropic",
    "REPAIRCORE_DIAGNOSTICIAN_URL": "https://house.example",
    "REPAIRCORE_DIAGNOSTICIAN_API_KEY": "hush-h",
    "REPAIRCORE_DIAGNOSTICIAN_NAME": "doctor",
    "REPAIRCORE_VISION_KIND": "openai",
    "REPAIRCORE_VISION_URL": "https://user:hush-eye@eyes.example",
    "REPAIRCORE_VISION_API_KEY": "hush-v",
    "REPAIRCORE_VISION_NAME": "seeing",
    "REPAIRCORE_VIN_DECODER_URL": "https://user:hush-vin@vin.example",
    "REPAIRCORE_RECALLS_URL": "https://user:hush-recalls@recalls.example",
    "REPAIRCORE_PLATES_URL": "https://user:hush-plates@plates.example",
    "REPAIRCORE_PLATES_API_KEY": "hush-p",
    "REPAIRCORE_CONNECTEDCAR_AUTHORIZE_URL": "https://cars.example/agree?market=hush",
    "REPAIRCORE_CONNECTEDCAR_TOKEN_URL": "https://user:hush-token@cars.example/token",
    "REPAIRCORE_CONNECTEDCAR_API_URL": "https://user:hush-api@api.cars.example",
    "REPAIRCORE_CONNECTEDCAR_REVOKE_URL": "https://user:hush-revoke@cars.example/revoke",
    "REPAIRCORE_CONNECTEDCAR_CLIENT_ID": "us",
    "REPAIRCORE_CONNECTEDCAR_CLIENT_SECRET": "hush-client",
    "REPAIRCORE_CONNECTEDCAR_SCOPES": "odometer tires",
    "REPAIRCORE_CONNECTEDCAR_KEYS": f"{'hush-new':-<32}, {'hush-old':-<32}",
    "REPAIRCORE_SMTP_URL": "smtps://user:hush-mail@mail.example:465",
    "REPAIRCORE_MAIL_FROM": "Repairs <no-reply@repairs.example>",
    "REPAIRCORE_SMS_URL": "https://user:hush-sms@sms.example/send",
    "REPAIRCORE_SMS_TOKEN": "hush-texts",
    "REPAIRCORE_SMS_MASKING_URL": "https://user:hush-mask@sms.example/numbers",
    "REPAIRCORE_SMS_MASKING_FALLBACK": "hidden",
    "REPAIRCORE_TWILIO_ACCOUNT_SID": "AC1",
    "REPAIRCORE_TWILIO_AUTH_TOKEN": "hush-twilio",
    "REPAIRCORE_TWILIO_FROM": "+13105550100",
    "REPAIRCORE_TWILIO_URL": "https://user:hush-there@twilio.example",
    "REPAIRCORE_SECRET_KEY": f"{'hush-secret':-<32}",
    "REPAIRCORE_PARTNER_SIGNING_KEYS": f"{'hush-newer':-<32} {'hush-older':-<32}",
    "REPAIRCORE_STRIPE_SECRET_KEY": "hush-stripe",
    "REPAIRCORE_STRIPE_URL": "https://user:hush-pay@stripe.example",
    "REPAIRCORE_PUBLIC_URL": "https://repairs.example/base",
    "REPAIRCORE_PREDICTION_SECONDS": "2.5",
    "REPAIRCORE_REQUESTS_PER_MINUTE": "100",
    "REPAIRCORE_PREDICTIONS_PER_MINUTE": "10",
    "REPAIRCORE_INVOICE_DRAFT_DAYS": "60",
    "REPAIRCORE_LOGIN_FAILURES_PER_MINUTE": "3",
    "REPAIRCORE_REGISTRATIONS_PER_HOUR": "4",
    "REPAIRCORE_PUBLIC_REQUESTS_PER_MINUTE": "8",
    "REPAIRCORE_CHAT_STARTS_PER_DAY": "7",
    "REPAIRCORE_PARTNER_REQUESTS_PER_MINUTE_TEST": "11",
    "REPAIRCORE_PARTNER_REQUESTS_PER_MINUTE_LIVE": "12",
    "REPAIRCORE_PARTNER_REQUESTS_PER_MINUTE_UNKNOWN": "13",
    "REPAIRCORE_RATE_WINDOWS": "database",
    "REPAIRCORE_REDIS_URL": "rediss://shop:hush-redis@redis.example:6380/2",
    "REPAIRCORE_CORS_ORIGINS": "https://a.example, https://b.example",
    "REPAIRCORE_TRUSTED_PROXIES": "2",
    "REPAIRCORE_CONSOLE": "off",
    "REPAIRCORE_PUBLIC_PAGES": "off",
    "REPAIRCORE_SEARCH_ENGINES": "on",
    "REPAIRCORE_LOG_FORMAT": "text",
    "REPAIRCORE_LOG_LEVEL": "info",
    "REPAIRCORE_ACCESS_LOG": "on",
    "REPAIRCORE_METRICS": "on",
    "REPAIRCORE_METRICS_TOKEN": f"{'hush-metrics':-<32}",
    "REPAIRCORE_DRAIN_SECONDS": "7.5",
    "REPAIRCORE_STATE_FOLDER": "/var/lib/repaircore",
    "REPAIRCORE_DATABASE_CONNECTIONS": "9",
    "REPAIRCORE_TASK_DAYS": "30",
    "REPAIRCORE_KEEP_PREDICTIONS_DAYS": "400",
    "REPAIRCORE_KEEP_CHATS_DAYS": "90",
    "REPAIRCORE_KEEP_AUDIT_DAYS": "3650",
    "REPAIRCORE_KEEP_IMPORTS_DAYS": "730",
    "REPAIRCORE_KEEP_PROVIDER_REQUESTS_DAYS": "60",
    "REPAIRCORE_KEEP_WEBHOOKS_DAYS": "7",
    "REPAIRCORE_KEEP_MESSAGES_DAYS": "14",
    "REPAIRCORE_KEEP_SESSIONS_DAYS": "0",
    "REPAIRCORE_KEEP_ANSWERS_DAYS": "2",
    "REPAIRCORE_APPOINTMENT_FREE_CANCEL_HOURS": "12",
    "REPAIRCORE_APPOINTMENT_CANCEL_FEE": "25.50",
    "REPAIRCORE_APPOINTMENT_NO_SHOW_FEE": "40",
    "REPAIRCORE_APPOINTMENT_REMINDER_HOURS": "2, 48.5 2",
    "REPAIRCORE_DISPATCH_WAVES": "2,4",
    "REPAIRCORE_DISPATCH_WAVE_SECONDS": "90",
    "REPAIRCORE_PROOF_DAYS": "30",
    "REPAIRCORE_FARES": "/etc/repaircore/fares.toml",
}


def test_no_setting_is_required() -> None:
    assert Settings.from_env({}) == Settings()
    assert Settings().is_embedded


def test_every_setting_is_read() -> None:
    assert Settings.from_env(FULL) == Settings(
        database_url="postgresql+psycopg://shop:hush-db@db.example/repairs",
        model_a=ModelSettings(
            kind="openai", url="https://user:hush-url@models.example/v1", api_key="hush-a", name="big"
        ),
        model_b=ModelSettings(kind="anthropic", url="https://other.example", api_key="hush-b", name="small"),
        describer=ModelSettings(kind="openai", url="https://writer.example", api_key="hush-d", name="poet"),
        diagnostician=ModelSettings(
            kind="anthropic", url="https://house.example", api_key="hush-h", name="doctor"
        ),
        vision=VisionSettings(
            kind="openai", url="https://user:hush-eye@eyes.example", api_key="hush-v", name="seeing"
        ),
        vin_decoder_url="https://user:hush-vin@vin.example",
        plates_url="https://user:hush-plates@plates.example",
        plates_api_key="hush-p",
        recalls_url="https://user:hush-recalls@recalls.example",
        car_provider=CarProviderSettings(
            authorize_url="https://cars.example/agree?market=hush",
            token_url="https://user:hush-token@cars.example/token",
            api_url="https://user:hush-api@api.cars.example",
            revoke_url="https://user:hush-revoke@cars.example/revoke",
            client_id="us",
            client_secret="hush-client",
            scopes="odometer tires",
            keys=(f"{'hush-new':-<32}", f"{'hush-old':-<32}"),
        ),
        stripe_secret_key="hush-stripe",
        stripe_url="https://user:hush-pay@stripe.example",
        mail=MailSettings(
            url="smtps://user:hush-mail@mail.example:465", sender="Repairs <no-reply@repairs.example>"
        ),
        sms=SmsSettings(
            url="https://user:hush-sms@sms.example/send",
            token="hush-texts",
            masking_url="https://user:hush-mask@sms.example/numbers",
            masking_fallback="hidden",
            twilio_account_sid="AC1",
            twilio_auth_token="hush-twilio",
            twilio_from="+13105550100",
            twilio_url="https://user:hush-there@twilio.example",
        ),
        secret_key=f"{'hush-secret':-<32}",
        partner_signing_keys=(f"{'hush-newer':-<32}", f"{'hush-older':-<32}"),
        public_url="https://repairs.example/base",
        prediction_seconds=2.5,
        requests_per_minute=100,
        predictions_per_minute=10,
        login_failures_per_minute=3,
        registrations_per_hour=4,
        public_requests_per_minute=8,
        chat_starts_per_day=7,
        partner_requests_per_minute_test=11,
        partner_requests_per_minute_live=12,
        partner_requests_per_minute_unknown=13,
        rate_windows="database",
        redis_url="rediss://shop:hush-redis@redis.example:6380/2",
        invoice_draft_days=60,
        cors_origins=("https://a.example", "https://b.example"),
        trusted_proxies=2,
        console=False,
        public_pages=False,
        search_engines=True,
        log_format="text",
        log_level="info",
        access_log=True,
        metrics=True,
        metrics_token=f"{'hush-metrics':-<32}",
        drain_seconds=7.5,
        state_folder=Path("/var/lib/repaircore"),
        database_connections=9,
        task_days=30,
        keep=RetentionSettings(
            predictions=400,
            chats=90,
            audit=3650,
            imports=730,
            provider_requests=60,
            webhooks=7,
            messages=14,
            sessions=0,
            answers=2,
        ),
        appointment_free_cancel_hours=12.0,
        appointment_cancel_fee=25.5,
        appointment_no_show_fee=40.0,
        appointment_reminder_hours=(48.5, 2.0),
        dispatch_waves=(2, 4),
        dispatch_wave_seconds=90,
        proof_days=30,
        fares=Path("/etc/repaircore/fares.toml"),
    )


def test_every_setting_is_shown_under_its_variable() -> None:
    assert set(Settings.from_env(FULL).shown()) == set(FULL), "set each variable in FULL"


def test_empty_and_foreign_variables_are_ignored() -> None:
    assert (
        Settings.from_env({**dict.fromkeys(FULL, "  "), "DATABASE_URL": "x", "REPAIRCORE": "y"}) == Settings()
    )


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("off", ()),
        ("24", (24.0,)),
        ("1,3 2", (3.0, 2.0, 1.0)),
        ("2 2.0", (2.0,)),
        ("5 4 3 2 1", (5.0, 4.0, 3.0, 2.0, 1.0)),
    ],
)
def test_hours_are_sorted_in_descending_order(text: str, hours: tuple[float, ...]) -> None:
    settings = Settings.from_env({"REPAIRCORE_APPOINTMENT_REMINDER_HOURS": text})

    assert settings.appointment_reminder_hours == hours


@pytest.mark.parametrize("text", ["soon", "0", "400", "1 2 3 4 5 6", "nan"])
def test_invalid_hours_are_rejected(text: str) -> None:
    with pytest.raises(Invalid) as error:
        Settings.from_env({"REPAIRCORE_APPOINTMENT_REMINDER_HOURS": text})

    assert set(error.value.fields) == {"REPAIRCORE_APPOINTMENT_REMINDER_HOURS"}


def test_every_problem_is_reported_at_once() -> None:
    bad = {
        "REPAIRCORE_DATABASE_URL": "mysql://root:hush@db",
        "REPAIRCORE_MODEL_A_KIND": "oracle",
        "REPAIRCORE_MODEL_B_KIND": "openai",
        "REPAIRCORE_VIN_DECODER_URL": "vin.example",
        "REPAIRCORE_PLATES_URL": "plates.example",
        "REPAIRCORE_PLATES_API_KEY": "two words",
        "REPAIRCORE_CONNECTEDCAR_TOKEN_URL": "cars.example",
        "REPAIRCORE_CONNECTEDCAR_CLIENT_ID": "two words",
        "REPAIRCORE_CONNECTEDCAR_KEYS": "short",
        "REPAIRCORE_PARTNER_SIGNING_KEYS": f"{'long-enough':-<32},short",
        "REPAIRCORE_STRIPE_SECRET_KEY": "two words",
        "REPAIRCORE_STRIPE_URL": "stripe.example",
        "REPAIRCORE_SMTP_URL": "https://mail.example",
        "REPAIRCORE_MAIL_FROM": "nobody",
        "REPAIRCORE_SMS_URL": "sms.example",
        "REPAIRCORE_SMS_TOKEN": "two words",
        "REPAIRCORE_SMS_MASKING_URL": "sms.example",
        "REPAIRCORE_SMS_MASKING_FALLBACK": "nothing",
        "REPAIRCORE_TWILIO_FROM": "a number",
        "REPAIRCORE_TWILIO_URL": "twilio.example",
        "REPAIRCORE_SECRET_KEY": "short",
        "REPAIRCORE_PUBLIC_URL": "repairs.example",
        "REPAIRCORE_PREDICTION_SECONDS": "nan",
        "REPAIRCORE_REQUESTS_PER_MINUTE": "0",
        "REPAIRCORE_PREDICTIONS_PER_MINUTE": "many",
        "REPAIRCORE_LOGIN_FAILURES_PER_MINUTE": "1.5",
        "REPAIRCORE_PARTNER_REQUESTS_PER_MINUTE_TEST": "0",
        "REPAIRCORE_PARTNER_REQUESTS_PER_MINUTE_LIVE": "100001",
        "REPAIRCORE_PARTNER_REQUESTS_PER_MINUTE_UNKNOWN": "x",
        "REPAIRCORE_RATE_WINDOWS": "memory",
        "REPAIRCORE_REDIS_URL": "https://redis.example",
        "REPAIRCORE_TRUSTED_PROXIES": "-1",
        "REPAIRCORE_LOG_FORMAT": "xml",
        "REPAIRCORE_LOG_LEVEL": "loud",
        "REPAIRCORE_ACCESS_LOG": "yes",
        "REPAIRCORE_METRICS": "1",
        "REPAIRCORE_METRICS_TOKEN": "short",
        "REPAIRCORE_DRAIN_SECONDS": "-1",
    }
    with pytest.raises(Invalid) as error:
        Settings.from_env(bad)
    assert set(error.value.fields) == (set(bad) - {"REPAIRCORE_MODEL_B_KIND"}) | {
        "REPAIRCORE_MODEL_A_NAME",
        "REPAIRCORE_MODEL_B_NAME",
        "REPAIRCORE_CONNECTEDCAR_AUTHORIZE_URL",
        "REPAIRCORE_CONNECTEDCAR_API_URL",
        "REPAIRCORE_TWILIO_ACCOUNT_SID",
        "REPAIRCORE_TWILIO_AUTH_TOKEN",
    }
    assert all(text.startswith(name) for name, texts in error.value.fields.items() for text in texts)


@pytest.mark.parametrize("name", ["AUTHORIZE_URL", "TOKEN_URL", "API_URL", "CLIENT_ID"])
def test_car_provider_needs_all_or_none_of_its_settings(name: str) -> None:
    missing = f"REPAIRCORE_CONNECTEDCAR_{name}"
    with pytest.raises(Invalid) as error:
        Settings.from_env({**FULL, missing: ""})
    assert set(error.value.fields) == {missing}
    assert not Settings.from_env({}).car_provider.is_on
    assert Settings.from_env(FULL).car_provider.is_on


def test_keys_alone_do_not_turn_on_the_car_provider() -> None:
    keys = {"REPAIRCORE_CONNECTEDCAR_KEYS": FULL["REPAIRCORE_CONNECTEDCAR_KEYS"]}
    assert not Settings.from_env(keys).car_provider.is_on


def test_postgresql_needs_a_secret_key_and_sqlite_has_a_file() -> None:
    url = {"REPAIRCORE_DATABASE_URL": "postgresql+psycopg://shop@db/repairs"}
    with pytest.raises(Invalid) as error:
        Settings.from_env(url)
    assert set(error.value.fields) == {"REPAIRCORE_SECRET_KEY"}
    assert Settings.from_env({**url, "REPAIRCORE_SECRET_KEY": "s" * 32}).secret_file is None
    assert Settings(database_url="sqlite:////srv/repairs.db").secret_file == Path("/srv/repairs.db.key")


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("PREDICTION_SECONDS", "0.1", "60"),
        ("REQUESTS_PER_MINUTE", "1", "1000000"),
        ("LOGIN_FAILURES_PER_MINUTE", "1", "1000"),
        ("CHAT_STARTS_PER_DAY", "1", "1000000"),
        ("TRUSTED_PROXIES", "0", "10"),
    ],
)
def test_numbers_are_accepted_up_to_their_bounds(name: str, least: str, most: str) -> None:
    for bound in (least, most):
        Settings.from_env({f"REPAIRCORE_{name}": bound})
    for beyond in ("-1", most + "1", "inf", "-inf", "nan"):
        with pytest.raises(Invalid):
            Settings.from_env({f"REPAIRCORE_{name}": beyond})


def test_secrets_are_not_shown_or_printed() -> None:
    settings = Settings.from_env(FULL)
    for text in (str(settings.shown()), repr(settings), str(settings)):
        assert "hush" not in text, text
    shown = settings.shown()
    assert shown["REPAIRCORE_DATABASE_URL"] == "postgresql+psycopg://shop:********@db.example/repairs"
    assert shown["REPAIRCORE_MODEL_A_API_KEY"] == "********"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://shop:hush:hush@db/repairs",
        "postgresql+psycopg://shop:hush@sh@db/repairs",
        "postgresql+psycopg://db/repairs?user=shop&password=hush&sslmode=require",
        "postgresql+psycopg://db/repairs?sslpassword=hush",
    ],
)
def test_password_is_hidden_anywhere_in_a_url(url: str) -> None:
    http = url.replace("postgresql+psycopg", "https")
    shown = str(Settings(database_url=url, vin_decoder_url=http, model_a=ModelSettings(url=http)).shown())
    assert "hush" not in shown
    assert "repairs" in shown


def test_url_without_a_password_is_shown_unchanged() -> None:
    for url in ("postgresql+psycopg://shop@db/repairs?sslmode=require", "sqlite:////srv/repairs.db"):
        assert Settings(database_url=url).shown()["REPAIRCORE_DATABASE_URL"] == url


@pytest.mark.parametrize(
    "tail",
    [
        "hush@models.example/v1",
        "hush:hush@models.example/v1",
        "models.example/v1?subscription-key=hush",
        "models.example/v1?version=1&api-key=hush",
        "models.example/v1?code=hush",
        "models.example/v1?sig=hush#hush",
        "models.example/v1?hush",
    ],
)
def test_server_url_is_shown_without_credentials_and_query(tail: str) -> None:
    url = f"https://{tail}"
    shown = str(Settings(vin_decoder_url=url, plates_url=url, model_a=ModelSettings(url=url)).shown())
    assert "hush" not in shown
    assert shown.count("models.example/v1") == 3


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///shop.db?timeout=5",
        "sqlite:///my%20shop.db",
        "sqlite:///:memory:",
        "sqlite:///",
        "sqlite:///sh\0op.db",
        "postgresql+psycopg://shop:hush%hush@db/repairs",
        "postgresql+psycopg://shop:hush#hush@db/repairs",
        "postgresql+psycopg://shop:hush/hush@db/repairs",
        "postgresql+psycopg://shop:hush?hush@db/repairs",
        "postgresql+psycopg://shop:12/hush@db/repairs",
        "postgresql+psycopg://shop:12#hush@db/repairs",
        "postgresql+psycopg://shop:hush@db:port/repairs",
        "postgresql+psycopg://db/repairs?hush=1",
    ],
)
def test_unreadable_database_url_is_rejected_without_quoting_it(url: str) -> None:
    with pytest.raises(Invalid) as error:
        Settings.from_env({"REPAIRCORE_DATABASE_URL": url})
    assert set(error.value.fields) == {"REPAIRCORE_DATABASE_URL"}
    assert "hush" not in str(error.value.fields)
    with pytest.raises(Invalid) as error:
        database_address(url)
    assert error.value.__cause__ is None


def test_database_address_is_a_file_or_connection_parameters() -> None:
    assert database_address("sqlite:///a b.db").file == Path("a b.db")
    assert database_address("sqlite:////srv/#1.db").file == Path("/srv/#1.db")
    url = "postgresql+psycopg://sh%40p:p%25%2F%3Aw@db.example:5433/repairs?sslmode=require"
    assert database_address(url).server == {
        "user": "sh@p",
        "password": "p%/:w",
        "host": "db.example",
        "port": "5433",
        "dbname": "repairs",
        "sslmode": "require",
    }
    socket = database_address("postgresql+psycopg:///repairs?host=/run/postgresql")
    assert socket.server == {"dbname": "repairs", "host": "/run/postgresql"}


def test_error_never_quotes_a_secret() -> None:
    bad = {
        "REPAIRCORE_DATABASE_URL": "mysql://root:hush@db",
        "REPAIRCORE_MODEL_A_URL": "models.example?key=hush",
        "REPAIRCORE_VIN_DECODER_URL": "ftp://user:hush@vin.example",
    }
    with pytest.raises(Invalid) as error:
        Settings.from_env(bad)
    assert set(error.value.fields) == set(bad)
    assert "hush" not in str(error.value.fields)


def test_state_folder_is_next_to_the_database(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path}/repairs.db")
    assert settings.state == tmp_path / "repairs.db.state"
    assert Settings(state_folder=tmp_path).state == tmp_path


@given(st.dictionaries(st.sampled_from(sorted(FULL)), st.text(max_size=20)))
def test_any_values_are_accepted_or_rejected(environ: dict[str, str]) -> None:
    fields: dict[str, tuple[str, ...]] = {}
    try:
        settings = Settings.from_env(environ)
    except Invalid as error:
        fields = error.fields
    else:
        assert settings.shown()
    assert all(name.startswith("REPAIRCORE_") and texts for name, texts in fields.items())


@pytest.mark.parametrize(
    ("fields", "main", "partners"),
    [
        ({}, "machine", "machine"),
        ({"rate_windows": "database"}, "database", "database"),
        ({"redis_url": "redis://r"}, "machine", "machine"),
        ({"database_url": POSTGRES}, "machine", "database"),
        ({"database_url": POSTGRES, "rate_windows": "machine"}, "machine", "machine"),
        ({"database_url": POSTGRES, "rate_windows": "database"}, "database", "database"),
        ({"database_url": POSTGRES, "redis_url": "redis://r"}, "database", "database"),
        (
            {"database_url": POSTGRES, "redis_url": "redis://r", "rate_windows": "machine"},
            "machine",
            "machine",
        ),
    ],
)
def test_rate_windows_follow_the_settings_and_partners_are_shared(
    fields: dict[str, str], main: str, partners: str
) -> None:
    settings = Settings(**fields)  # type: ignore[arg-type]  # as a library might
    assert (settings.main_windows, settings.partner_windows) == (main, partners)


def test_redis_address_gives_the_clients_parameters() -> None:
    assert redis_address("rediss://sh%40p:p%25%2F%3Aw@redis.example:6380/2") == {
        "username": "sh@p",
        "password": "p%/:w",
        "host": "redis.example",
        "port": 6380,
        "db": 2,
        "ssl": True,
    }
    assert redis_address("redis://localhost") == {
        "username": None,
        "password": None,
        "host": "localhost",
        "port": 6379,
        "db": 0,
        "ssl": False,
    }
    assert redis_address("redis://:hush@[::1]/")["host"] == "::1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "redis",
        "redis://",
        "redis:///0",
        "redis://:hush@/0",
        "unix:///tmp/hush.sock",
        "http://hush",
        "redis://hush:70000",
        "redis://hush:x",
        "redis://hush/x",
        "redis://hush/-1",
        "redis://hush/0/1",
        "redis://hush?socket_timeout=100",
        "redis://hush#x",
        "redis://a:hu%sh@h",
        "redis://a:hush\n@h",
        "redis://[hush",
    ],
)
def test_unreadable_redis_url_is_rejected_without_quoting_it(url: str) -> None:
    with pytest.raises(Invalid) as error:
        redis_address(url)
    assert set(error.value.fields) == {"redis_url"}
    assert "hush" not in str(error.value.fields)
    if url:
        with pytest.raises(Invalid) as error:
            Settings.from_env({"REPAIRCORE_REDIS_URL": url})
        assert set(error.value.fields) == {"REPAIRCORE_REDIS_URL"}
        assert "hush" not in str(error.value.fields)


@pytest.mark.parametrize("url", ["smtp://mail.example", "smtps://u:p@mail.example:465/", "smtp://[::1]:25"])
@pytest.mark.parametrize("sender", ["a@b.example", "Repairs & Sons <a@b.example>"])
def test_mail_server_and_sender_are_accepted(url: str, sender: str) -> None:
    assert MailSettings(url=url, sender=sender).is_on


@pytest.mark.parametrize(
    ("url", "sender", "wrong"),
    [
        ("smtp://", "a@b.example", {"url"}), ("smtp://host/path", "a@b.example", {"url"}),
        ("smtp://host?x=1", "a@b.example", {"url"}), ("smtp://ho st", "a@b.example", {"url"}),
        ("smtp://host:99999", "a@b.example", {"url"}), ("http://host", None, {"url", "sender"}),
        ("smtp://host", None, {"sender"}), ("smtp://host", "a@b.example\r\nBcc: c@d.example", {"sender"}),
        ("smtp://host", "Name <a@b.example", {"sender"}), ("smtp://host", "a@b.example>", {"sender"}),
        ("smtp://host", "a@b, c@d", {"sender"}), (None, "nobody", {"sender"}),
    ],
)  # fmt: skip
def test_bad_mail_settings_are_named(url: str | None, sender: str | None, wrong: set[str]) -> None:
    with pytest.raises(Invalid) as error:
        MailSettings(url=url, sender=sender)
    assert set(error.value.fields) == wrong


@pytest.mark.parametrize(
    ("url", "is_accepted"),
    [
        ("smtp://mail.example.com", True),
        ("smtps://mail.example.com:465/", True),
        ("smtp://mail.example.com:0", False),
        ("smtp://mail.example.com/inbox", False),
        ("smtp://mail.example.com?x=1", False),
        ("smtp://mail.example.com#x", False),
        ("smtp://", False),
        ("http://mail.example.com", False),
        ("smtp://mail.example.com:port", False),
    ],
)
def test_mail_server_has_a_host_and_nothing_after_its_port(url: str, *, is_accepted: bool) -> None:
    assert is_mail_server(url) is is_accepted


@pytest.mark.parametrize(
    ("settings", "is_on"),
    [
        (SmsSettings(), False),
        (SmsSettings(url="https://sms.example.com"), True),
        (
            SmsSettings(twilio_account_sid="AC1", twilio_auth_token="hush", twilio_from="+13105550123"),
            True,
        ),
    ],
)
def test_text_messages_are_sent_by_a_gateway_or_by_twilio(settings: SmsSettings, *, is_on: bool) -> None:
    assert settings.is_on is is_on


def test_vision_model_needs_a_name_unless_it_is_off() -> None:
    with pytest.raises(Invalid) as refused:
        VisionSettings(kind="openai")

    assert set(refused.value.fields) == {"name"}
    assert not VisionSettings().is_on


def test_public_address_is_the_default_until_it_is_set() -> None:
    assert Settings().has_default_public_url
    assert not Settings(public_url="https://shop.example.com").has_default_public_url
