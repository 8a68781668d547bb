"""Which settings to try next (Optuna's sampler), and for how long: successive halving (Jamieson and Talwalkar 2016)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.encoder_catalog.names import is_token_layer, kind_of
from embedlab.finds.store import Find
from embedlab.prompts import WITHOUT
from embedlab.training.recipes import RECIPES
from embedlab.training.usual import TOKEN_LEARNING_RATE, TRANSFORMER_LEARNING_RATE, WORDS_LEARNING_RATE

BATCHES = (64, 128, 256, 512)
TEMPERATURES, RATES = (0.02, 0.5), (0.2, 5.0)  # the second times the encoder's own
READ = ("whole", "half")  # of the tokens that the encoder can read, where texts are long
OWN, NONE = PROMPTS = ("own", "none")  # where an encoder comes with any
DRAWN_BLINDLY = 10  # before the sampler learns from what it was told
Parameters = dict[str, Any]  # of a trial: ``way temperature rate batch``, with long texts ``read``, and ``prompts``


@dataclass(frozen=True)
class TrainingWay:
    """An encoder and a recipe that fits these texts; ``against`` for pairs of sentences.

    ``half_length``: half of the tokens that the encoder reads, where texts are long enough that this matters.
    ``has_prompts``: the encoder puts something before texts, which is tried with and without.
    """

    encoder: str
    recipe: str
    against: str = ""
    half_length: int | None = None
    has_prompts: bool = False

    @property
    def key(self) -> str:
        """Its key in the journal."""
        return "/".join(filter(None, (self.encoder, self.recipe, self.against)))

    @property
    def title(self) -> str:
        """``Sentence against the rest on Words of the corpus``"""
        pairs = {"sentence": "Sentence against sentence", "rest": "Sentence against the rest"}
        return f"{pairs.get(self.against, RECIPES[self.recipe].title)} on {encoder_title(self.encoder)}"

    @property
    def usual(self) -> Parameters:
        """The default parameters of a run."""
        temperature = 0.1 if kind_of(self.encoder) == "words" else 0.05
        batch = 256 if is_token_layer(self.encoder) else 64
        read = {} if self.half_length is None else {"read": READ[0]}
        return {"way": self.key, "temperature": temperature, "rate": 1.0, "batch": batch, **read}

    def settings(self, parameters: Parameters) -> dict[str, str | int | float | dict[str, str | float]]:
        """The settings of a run with these parameters."""
        usual_rate = {"token": TOKEN_LEARNING_RATE, "words": WORDS_LEARNING_RATE, "static": WORDS_LEARNING_RATE}.get(
            kind_of(self.encoder), TRANSFORMER_LEARNING_RATE
        )
        return {
            "encoder": self.encoder,
            "recipe": self.recipe,
            "batch_size": parameters["batch"],
            "learning_rate": float(f"{usual_rate * parameters['rate']:.3g}"),
            "objective": {"temperature": float(f"{parameters['temperature']:.3g}")},
            **({"augmentation": {"against": self.against}} if self.against else {}),
            **({"max_length": self.half_length} if parameters.get("read") == READ[1] else {}),
            **({"prompts": WITHOUT} if self.has_prompts and parameters.get("prompts") == NONE else {}),
        }


class Sampler:
    """Draws parameters; reproducible from the seed and the reported values, also after being reopened."""

    def __init__(self, find: Find, ways: list[TrainingWay], seed: int, first: Sequence[Parameters] = ()):
        """``first``: parameters to try before any is drawn, for a new Find."""
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna, self.seed = optuna, seed
        self.ways = {way.key: way for way in ways}
        self.has_long_texts = any(way.half_length is not None for way in ways)
        self.has_prompts = any(way.has_prompts for way in ways)
        journal = str(find.journal)
        self.study = optuna.create_study(
            storage=JournalStorage(JournalFileBackend(journal, lock_obj=JournalFileOpenLock(journal))),
            study_name="find",
            direction="maximize",
            load_if_exists=True,
        )
        if not self.study.trials:
            usual_prompts = {"prompts": OWN} if self.has_prompts else {}
            once = {way.encoder: way.usual | {"prompts": NONE} for way in reversed(ways) if way.has_prompts}
            for parameters in [
                *(way.usual | usual_prompts for way in ways),
                *once.values(),
                *(usual_prompts | each for each in first),
            ]:
                if parameters["way"] in self.ways and self._are_whole(parameters):
                    self.study.enqueue_trial(parameters, skip_if_exists=True)
        self.enqueued = sum("fixed_params" in trial.system_attrs for trial in self._trials())

    def ask(self, number: int) -> Parameters:
        """The parameters of trial ``number``; the same when asked again."""
        trials = self._trials()
        if number < len(trials) and self._are_whole(drawn := trials[number].params):
            return drawn
        self.study.sampler = self._optuna.samplers.TPESampler(
            seed=self.seed * 10_007 + number, n_startup_trials=DRAWN_BLINDLY
        )
        trial = self.study.ask()
        while trial.number < number:  # asked when its worker was killed, before it drew anything
            self.study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            trial = self.study.ask()
        trial.suggest_categorical("way", list(self.ways))
        trial.suggest_float("temperature", *TEMPERATURES, log=True)
        trial.suggest_float("rate", *RATES, log=True)
        trial.suggest_categorical("batch", BATCHES)
        if self.has_long_texts:
            trial.suggest_categorical("read", READ)
        if self.has_prompts:
            trial.suggest_categorical("prompts", PROMPTS)
        return trial.params

    def block_size(self, begins: int) -> int:
        """Settings from this one on that are drawn at once: all that are tried without being drawn come first."""
        return max(self.enqueued, 1) if begins == 0 else BLOCK

    def tell(self, number: int, value: float | None) -> None:
        """Report its result in the first rung; None if it failed."""
        failed = self._optuna.trial.TrialState.FAIL
        self.study.tell(number, value, state=failed if value is None else None, skip_if_finished=True)

    def _trials(self) -> list:
        return self.study.get_trials(deepcopy=False)

    def _are_whole(self, parameters: dict) -> bool:
        further = {name for name, has in (("read", self.has_long_texts), ("prompts", self.has_prompts)) if has}
        return parameters.keys() == {"way", "temperature", "rate", "batch"} | further


SHARES = (1 / 9, 1 / 3, 1.0)  # of the length that fits the texts, at which each rung ends; the rate falls in the last
LAST = len(SHARES) - 1
KEPT = 3  # one of so many goes on
FULL = KEPT ** len(SHARES)  # trainings, with which each rung compares at least three
SEARCHED = 0.75  # of the budget; the rest is for the winner's training in full
FIRST = 0.45  # of the search is the first rung's; the two further ones take two thirds of that each
BLOCK = 6  # settings are drawn at once, by what those before them gave: the same however many are worked on at a time
MOST = 81
LENGTHS = (2.0, 0.5, 4.0)  # times the length that fits, tried with the best settings where the budget allows


def promoted(values: Mapping[str, float]) -> list[str]:
    """The better third, at least one, best first; ties go to the earlier one. values: of a rung, in its order"""
    ranked = sorted(values, key=lambda key: -values[key])
    return ranked[: max(1, len(ranked) // KEPT)] if ranked else []


def more_entrants(seconds_each: float, left: float) -> int:
    """How many more fit into what is left of the first rung, rounded.

    seconds_each: of one candidate in the first rung
    """
    return min(MOST, max(0, round(left / max(seconds_each, 1e-9))))


def end_of(rung: int, fitting: int, planned: int) -> int:
    """The steps of a candidate at the end of its rung. fitting: the steps that fit the texts, planned: its own"""
    return planned if rung == LAST else min(planned, max(1, round(fitting * SHARES[rung])))
