"""``--post``: what is done to finished embeddings, and its settings as ``--set post.STEP.SETTING=VALUE``."""

import numpy as np

from embedlab.cli.running import with_setting
from embedlab.config import Config, validated
from embedlab.errors import SettingsError
from embedlab.postprocessing import POSTPROCESSING
from embedlab.postprocessing.base import Processed

NONE, PREFIX = "none", "post."


def is_of_post(setting: str) -> bool:
    """Whether ``SETTING=VALUE`` speaks of a step."""
    return setting.strip().startswith(PREFIX)


def asked_steps(written: str, settings: list[str]) -> dict[str, Config]:
    """The steps of a comma list with their settings, none for ``none``; a setting of no asked step is refused."""
    keys = list(dict.fromkeys(key.strip() for key in written.split(",") if key.strip() not in ("", NONE)))
    steps = {key: POSTPROCESSING[key] for key in keys}
    values: dict = {}
    for setting in settings:
        if not is_of_post(setting):
            raise SettingsError(
                "E-SETTING",
                f"--set takes settings of a step here, such as post.flow.epochs=5, but found {setting!r}. Leave it "
                f"out.",
            )
        values = with_setting(values, setting.strip().removeprefix(PREFIX))
    for key in values:
        if key not in steps:
            raise SettingsError(
                "E-SETTING", f"--set names post.{key}, but --post is {written!r}. Add {key!r} to --post."
            )
    return {key: validated(step.config_class, values.get(key, {}), where=f"post.{key}") for key, step in steps.items()}


def asked_step(written: str, settings: list[str]) -> dict[str, Config]:
    """The same where vectors are made that only one step can have made."""
    steps = asked_steps(written, settings)
    if len(steps) > 1:
        raise SettingsError("E-SETTING", f"--post takes one step here, but found {written!r}. Choose one of them.")
    return steps


def after_step(embeddings: np.ndarray, rows: np.ndarray, steps: dict[str, Config], terminal) -> np.ndarray:
    """Embeddings (rows, dim) after the one step, or as they are where there is none; its remarks are said."""
    for key, config in steps.items():
        processed = POSTPROCESSING[key].fit_transform(embeddings, rows, config, terminal)
        embeddings = processed.embeddings
        for remark in processed.used["remarks"]:
            terminal.note(remark)
    return embeddings


def fitted_steps(embeddings: np.ndarray, rows: np.ndarray, steps: dict[str, Config], terminal) -> dict[str, Processed]:
    """The embeddings (rows, dim) after each step by its key; what a step remarks is said."""
    fitted = {}
    for key, config in steps.items():
        fitted[key] = POSTPROCESSING[key].fit_transform(embeddings, rows, config, terminal)
        for remark in fitted[key].used["remarks"]:
            terminal.note(remark)
    return fitted
