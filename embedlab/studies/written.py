"""Values and settings as a person types them."""

from embedlab.config import read_value, with_path
from embedlab.corpora.base import list_corpora
from embedlab.errors import SettingsError

NAMED = ("recipe", "encoder", "corpus")  # series whose values are names, also where one looks like a number


def read_values(written: str) -> tuple:
    """``0.005, 0.05`` as two numbers."""
    return tuple(read_value(each) for each in written.replace(";", ",").split(",") if each.strip())


def read_seeds(written: str) -> tuple[int, ...]:
    """``0,1,2``"""
    try:
        seeds = tuple(int(each) for each in written.replace(";", ",").split(",") if each.strip())
    except ValueError:
        seeds = ()
    if not seeds:
        raise SettingsError("E-SEEDS", f"Seeds must be whole numbers, such as 0,1,2, but found {written!r}.")
    return seeds


def read_series(written: str) -> tuple[str, tuple]:
    """``recipe=crops,simcse`` as the path and its values; nothing as no series."""
    if not written.strip():
        return "", ()
    path, equals, values = written.partition("=")
    path, read = path.strip(), read_values(values)
    if not equals or not path or not read:
        raise SettingsError(
            "E-SERIES",
            f"A series must be SETTING=VALUE,VALUE, but found {written!r}. Examples: recipe=crops,simcse or "
            "encoder=token,minilm, pooling=mean,cls or corpus=docs,NAME.",
        )
    return path, tuple(each.strip() for each in values.split(",") if each.strip()) if path in NAMED else read


def read_settings_lines(lines: list[str]) -> dict:
    """``augmentation.sentences=1``, one a line, as nested settings."""
    values: dict = {}
    for line in lines:
        path, equals, written = line.partition("=")
        if not equals or not path.strip():
            raise SettingsError(
                "E-SETTING", f"A setting must be SETTING=VALUE, but found {line!r}. Example: batch_size=32"
            )
        values = with_path(values, path.strip(), read_value(written))
    return values


def laid(under: dict, over: dict) -> dict:
    """Nested settings, those of ``over`` where both say something."""
    both = {**under, **over}
    for name in under.keys() & over.keys():
        if isinstance(under[name], dict) and isinstance(over[name], dict):
            both[name] = laid(under[name], over[name])
    return both


def stored_corpus(name: str) -> str:
    """A stored corpus by its name or fingerprint; ``none`` is no first phase."""
    stored = list_corpora()
    found = [info.fingerprint for info in stored if name in (info.fingerprint, info.name)]
    if name in ("none", "None"):
        return "none"
    if not found:
        known = ", ".join(info.name for info in stored)
        raise SettingsError(
            "E-VALUES", f"A first phase needs a stored corpus, but there is none called {name!r}. There are: {known}."
        )
    return found[0]
