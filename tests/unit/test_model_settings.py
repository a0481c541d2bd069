import pytest

from repaircore.external_settings import ModelSettings
from repaircore.kernel.errors import Invalid
from repaircore.settings import Settings


@pytest.mark.parametrize(
    ("field", "choice"),
    [
        ("kind", {"kind": "oracle", "name": "m"}),
        ("name", {"kind": "openai"}),
        ("name", {"kind": "offline", "name": "crystal-ball"}),
        ("url", {"kind": "openai", "name": "m", "url": "ftp://a.test"}),
        ("url", {"kind": "openai", "name": "m", "url": "https://"}),
        ("url", {"kind": "openai", "name": "m", "url": "http://a.test:99999"}),
        ("url", {"kind": "openai", "name": "m", "url": "http://[::1"}),
        ("api_key", {"kind": "anthropic", "name": "m", "api_key": "sk-1\r\nx-evil: 1"}),
        ("api_key", {"kind": "anthropic", "name": "m", "api_key": "clé"}),
    ],
)
def test_bad_field_is_named_without_quoting_the_key(field: str, choice: dict[str, str]) -> None:
    with pytest.raises(Invalid) as error:
        ModelSettings(**choice)
    assert set(error.value.fields) == {field}
    assert choice.get("api_key", "no key") not in str(error.value)


def test_every_bad_field_is_reported_at_once() -> None:
    with pytest.raises(Invalid) as error:
        ModelSettings(kind="oracle", url="nowhere", api_key=" ", name=None)
    assert set(error.value.fields) == {"kind", "url", "api_key", "name"}


def test_repr_hides_the_key() -> None:
    assert "sk-1" not in repr(
        ModelSettings(kind="openai", api_key="sk-1", url="https://user:sk-1@a.test", name="m")
    )


def test_environment_sets_both_models() -> None:
    settings = Settings.from_env(
        {
            "REPAIRCORE_MODEL_A_KIND": "openai",
            "REPAIRCORE_MODEL_A_NAME": "small",
            "REPAIRCORE_MODEL_B_NAME": "component-table",
        }
    )
    assert settings.model_a == ModelSettings(kind="openai", name="small")
    assert settings.model_b == ModelSettings(kind="offline", name="component-table")


def test_every_bad_variable_is_reported_at_once() -> None:
    with pytest.raises(Invalid) as error:
        Settings.from_env(
            {
                "REPAIRCORE_MODEL_A_KIND": "oracle",
                "REPAIRCORE_MODEL_B_KIND": "anthropic",
                "REPAIRCORE_MODEL_B_API_KEY": "clé",
                "REPAIRCORE_VIN_DECODER_URL": "vpic.test",
                "REPAIRCORE_TRUSTED_PROXIES": "many",
            }
        )
    assert set(error.value.fields) == {
        "REPAIRCORE_MODEL_A_KIND",
        "REPAIRCORE_MODEL_A_NAME",
        "REPAIRCORE_MODEL_B_API_KEY",
        "REPAIRCORE_MODEL_B_NAME",
        "REPAIRCORE_VIN_DECODER_URL",
        "REPAIRCORE_TRUSTED_PROXIES",
    }


@pytest.mark.parametrize("variable", ["MODEL_A_URL", "VIN_DECODER_URL"])
def test_password_in_an_address_is_never_shown(variable: str) -> None:
    name = f"REPAIRCORE_{variable}"
    settings = Settings.from_env({name: "https://me:pw-1234@a.test/v1"})
    assert settings.shown()[name] == "https://********@a.test/v1"
    assert "pw-1234" not in repr(settings)
    with pytest.raises(Invalid) as error:
        Settings.from_env({name: "ftp://me:pw-1234@a.test"})
    assert "pw-1234" not in repr(error.value.fields)
