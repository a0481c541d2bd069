"""Current settings, and where each comes from."""

from repaircore.checkup.model import SettingSource
from repaircore.checkup.setting_values import describe_settings
from repaircore.external_settings import ModelSettings
from repaircore.settings import SETTINGS, Settings

SECRET = "a-secret-that-only-this-test-may-know"


def test_settings_have_a_source_and_hide_secrets() -> None:
    settings = Settings(
        log_level="debug", secret_key=SECRET, model_a=ModelSettings(api_key="sk-only-this-test"), metrics=True
    )
    environ = {"REPAIRCORE_LOG_LEVEL": "debug", "REPAIRCORE_METRICS": " "}
    found = {value.variable: value for value in describe_settings(settings, environ)}

    assert list(found) == [entry.variable for entry in SETTINGS]
    assert (found["REPAIRCORE_LOG_LEVEL"].value, found["REPAIRCORE_LOG_LEVEL"].source) == (
        "debug",
        SettingSource.ENVIRONMENT,
    )
    assert (found["REPAIRCORE_METRICS"].value, found["REPAIRCORE_METRICS"].source) == (
        "on",
        SettingSource.PROGRAM,
    )
    assert found["REPAIRCORE_LOG_FORMAT"].source is SettingSource.DEFAULT
    assert found["REPAIRCORE_MODEL_A_API_KEY"].source is SettingSource.PROGRAM
    assert all(value.help for value in found.values())
    assert "sk-only-this-test" not in str(found)
    assert SECRET not in str(found)
