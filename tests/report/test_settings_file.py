"""A run's settings as a command and as a file: read again they are the same settings, for every recipe."""

import json
import random
import shlex
from dataclasses import dataclass

import pytest

from embedlab.augmentations import AUGMENTATIONS
from embedlab.cli.arguments import parser
from embedlab.config import read_value, validated, written_value
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.errors import SettingsError
from embedlab.objectives import OBJECTIVES
from embedlab.prompts import PromptSettings
from embedlab.report.settings_file import command_line, named_run, read_settings_file, settings_file
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings

CORPUS = "0123456789abcdef"
RUN = RunSettings.model_json_schema()
PROMPTS = PromptSettings.model_json_schema()
WORDS = (
    "none",
    "true",
    "0.5",
    "1e3",
    "one way",
    "it's; rm -rf $HOME",
    '"quoted"',
    "[1]",
    "Ünï\ncode",
    "",
    " a ",
    "nan",
)


@dataclass
class Typed:
    """A command as the shell hands it over, and the settings it asks for."""

    line: str

    @property
    def settings(self) -> RunSettings:
        words = shlex.split(self.line)
        assert words[:3] == ["python", "-m", "embedlab"]
        typed = parser().parse_args(words[3:])
        return named_run(vars(typed), typed.sets, None, kind=RunSettings, usual={}, unread={}).settings


def other_value(schema: dict, rng: random.Random):
    """A value that this schema allows, drawn by chance."""
    choices = schema.get("anyOf", [schema])
    chosen = rng.choice(choices)
    if "enum" in chosen:
        return rng.choice(chosen["enum"])
    low, high = (
        chosen.get("minimum", chosen.get("exclusiveMinimum", 0)),
        chosen.get("maximum", chosen.get("exclusiveMaximum", 10)),
    )
    match chosen.get("type"):
        case "boolean":
            return rng.random() < 0.5
        case "integer":
            return rng.randint(low, min(high, low + 50))
        case "number":
            return low + (high - low) * rng.uniform(0.1, 0.9)
        case "string":
            return rng.choice(WORDS)
        case _:
            return None


def drawn_settings(recipe: str, seed: int) -> RunSettings:
    """Half of all settings of a recipe and its parts at other values."""
    rng = random.Random(seed)

    def drawn(schema: dict) -> dict:
        return {n: other_value(s, rng) for n, s in schema.get("properties", {}).items() if rng.random() < 0.5}

    own = {name: value for name, value in drawn(RUN).items() if name not in ("recipe", "encoder")}
    own |= {"corpus": CORPUS, "recipe": recipe, "encoder": rng.choice(["token", "run:abcdefghijklm", "my folder/x"])}
    for part, registry in (("augmentation", AUGMENTATIONS), ("objective", OBJECTIVES)):
        key = getattr(RECIPES[recipe], part)
        own[part] = drawn(registry[key].config_class.model_json_schema() if key else {})
    own["adapter"] = drawn(AdapterConfig.model_json_schema())
    own["prompts"] = {name: value for name, value in drawn(PROMPTS).items() if name != "instruction"}
    if rng.random() < 0.5:
        own["prompts"]["instruction"] = "Find what answers: {text}"
    if own.get("schedule") == "paper" and not RECIPES[recipe].schedule:
        del own["schedule"]
    if own.get("max_steps", 7) is None or own.get("epochs", 1) is None:  # one of the two has to say when to stop
        own["max_steps"] = 7
    if own.get("judged_by") == "set":  # a set has to be named then
        own["judge"] = "sts"
    if not RECIPES[recipe].trains_on_pairs:
        own.pop("pairs", None)
    if "matryoshka" in own:
        own["matryoshka"] = rng.choice([None, "384,128,32:0.3"])
    return validated(RunSettings, own)


@pytest.mark.parametrize("recipe", RECIPES.keys())
def test_a_recipe_as_it_is_needs_no_setting(recipe):
    settings = validated(RunSettings, {"corpus": CORPUS, "recipe": recipe})
    told = settings.model_dump(mode="json")
    line = command_line(told)
    assert line == f"python -m embedlab train --corpus {CORPUS} --encoder token --recipe {recipe}"
    assert Typed(line).settings == settings


@pytest.mark.parametrize("recipe", [recipe.key for recipe in RECIPES if recipe.schedule])
def test_the_papers_schedule_is_one_setting(recipe):
    settings = validated(RunSettings, {"corpus": CORPUS, "recipe": recipe, "schedule": "paper"})
    told = settings.model_dump(mode="json")
    line = command_line(told)
    assert line.endswith("--set 'schedule=paper'") or line.endswith("--set schedule=paper")
    assert Typed(line).settings == settings


@pytest.mark.parametrize("recipe", RECIPES.keys())
def test_command_and_file_give_any_settings_again(recipe, tmp_path):
    for seed in range(8):
        settings = drawn_settings(recipe, seed)
        told = settings.model_dump(mode="json")
        assert Typed(command_line(told, name="-a 'name'")).settings == settings
        file = tmp_path / "settings.json"
        file.write_text(settings_file(told), encoding="utf-8")
        assert validated(RunSettings, read_settings_file(str(file))) == settings


def test_a_command_written_by_hand():
    told = {"corpus": CORPUS, "encoder": "my encoder", "recipe": "simcse", "device": "auto", "seed": 3,
            "learning_rate": 1e-5, "objective": {"head": "none"}}  # fmt: skip
    assert command_line(told, name="a b") == (
        f"python -m embedlab train --corpus {CORPUS} --encoder 'my encoder' --recipe simcse --seed 3 "
        "--set learning_rate=1e-05 --set 'objective.head=\"none\"' --name 'a b'"
    )
    assert json.loads(settings_file(told)) == {
        "corpus": CORPUS, "encoder": "my encoder", "recipe": "simcse", "epochs": 1, "schedule": "epochs", "seed": 3,
        "learning_rate": 1e-5, "objective": {"head": "none"},
    }  # fmt: skip


def test_a_judge_is_written_and_what_follows_from_it_is_not():
    settings = validated(RunSettings, {"corpus": CORPUS, "recipe": "crops", "judge": "sts"})
    line = command_line(settings.model_dump())
    assert settings.judged_by == "set" and line.endswith(" --recipe crops --set judge=sts")
    assert Typed(line).settings == settings
    other = validated(RunSettings, {"corpus": CORPUS, "recipe": "crops", "judge": "sts", "judged_by": "knn"})
    assert "--set judged_by=knn" in command_line(other.model_dump())
    assert Typed(command_line(other.model_dump())).settings == other


@pytest.mark.parametrize("value", [*WORDS, None, True, False, 0, -3, 0.1, 1e-5, 1.0, 10**20, [1, "a"], {"a": None}])
def test_a_written_value_is_read_as_itself(value):
    read = read_value(written_value(value))
    assert read == value and type(read) is type(value)


def test_none_is_a_word_where_it_is_one_of_the_words():
    asked = {"corpus": CORPUS, "recipe": "simcse", "objective": {"head": read_value("none")}}
    assert validated(RunSettings, asked).objective["head"] == "none"


def test_the_settings_of_a_run_folder_are_read_too(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"schema": 1, "task": "train", "name": "", "settings": {"corpus": "docs"}}))
    assert read_settings_file(str(file)) == {"corpus": "docs"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b'{"seed": 1', "is not JSON"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"[1]", "contains a list"),
        (b"null", "contains nothing"),
        (b"", "is not JSON"),
    ],
)
def test_a_file_that_holds_no_settings_is_refused(written, said, tmp_path):
    file = tmp_path / "mine.json"
    file.write_bytes(written)
    with pytest.raises(SettingsError, match=said) as error:
        read_settings_file(str(file))
    assert "mine.json" in error.value.message


def test_a_file_that_is_not_there_is_refused(tmp_path):
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(SettingsError, match="cannot be read"):
            read_settings_file(str(path))
