"""Which settings are tried next: Optuna's sampler, asked and told, its journal in the Find's folder."""

from dataclasses import dataclass

from embedlab.encoder_names import is_token_layer, kind_of
from embedlab.finds.store import Find
from embedlab.finds.titles import trained_title
from embedlab.training.settings import TOKEN_LEARNING_RATE, TRANSFORMER_LEARNING_RATE, WORDS_LEARNING_RATE

BATCHES = (64, 128, 256, 512)
TEMPERATURES, RATES = (0.02, 0.5), (0.2, 5.0)  # the second times the encoder's own
READ = ("whole", "half")  # of the tokens that the encoder can read, where texts are long
DRAWN_BLINDLY = 10  # before the sampler learns from what it was told


@dataclass(frozen=True)
class Way:
    """An encoder and a recipe whose views these texts give; ``against`` of pairs of sentences.

    ``half_length``: half of the tokens that the encoder reads, where texts are long enough that this matters.
    """

    encoder: str
    recipe: str
    against: str = ""
    half_length: int | None = None

    @property
    def key(self) -> str:
        """As the journal keeps it."""
        return "/".join(filter(None, (self.encoder, self.recipe, self.against)))

    @property
    def title(self) -> str:
        """``Sentence against the rest on Words of the corpus``"""
        return trained_title(self.encoder, self.recipe, self.against)

    @property
    def usual(self) -> dict:
        """The parameters that a run takes where nobody says otherwise."""
        temperature = 0.1 if kind_of(self.encoder) == "words" else 0.05
        batch = 256 if is_token_layer(self.encoder) else 64
        read = {} if self.half_length is None else {"read": READ[0]}
        return {"way": self.key, "temperature": temperature, "rate": 1.0, "batch": batch, **read}

    def settings(self, parameters: dict) -> dict:
        """Of a run that takes these parameters."""
        usual_rate = {"token": TOKEN_LEARNING_RATE, "words": WORDS_LEARNING_RATE}.get(
            kind_of(self.encoder), TRANSFORMER_LEARNING_RATE
        )
        reads_half = parameters.get("read") == READ[1]
        return {
            "encoder": self.encoder,
            "recipe": self.recipe,
            "batch_size": parameters["batch"],
            "learning_rate": float(f"{usual_rate * parameters['rate']:.3g}"),
            "objective": {"temperature": float(f"{parameters['temperature']:.3g}")},
            **({"augmentation": {"against": self.against}} if self.against else {}),
            **({"max_length": self.half_length} if reads_half else {}),
        }


class Sampler:
    """Draws parameters; the same ones for the same seed and the same values told, also after it was opened anew."""

    def __init__(self, find: Find, ways: list[Way], seed: int, first: list[dict] = ()):
        """``first``: parameters that are tried before any is drawn, of a Find that begins."""
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna, self.seed = optuna, seed
        self.ways = {way.key: way for way in ways}
        self.has_long_texts = any(way.half_length is not None for way in ways)
        journal = str(find.journal)
        self.study = optuna.create_study(
            storage=JournalStorage(JournalFileBackend(journal, lock_obj=JournalFileOpenLock(journal))),
            study_name="find",
            direction="maximize",
            load_if_exists=True,
        )
        if not self.study.trials:
            for parameters in [*(way.usual for way in ways), *first]:
                if parameters["way"] in self.ways and self._are_whole(parameters):
                    self.study.enqueue_trial(parameters, skip_if_exists=True)
        self.enqueued = sum("fixed_params" in trial.system_attrs for trial in self._trials())

    def ask(self, number: int) -> dict:
        """The parameters of trial ``number``; asked again for one that is there, the same."""
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
        return trial.params

    def tell(self, number: int, value: float | None) -> None:
        """What came of it in the first rung; None where it failed."""
        failed = self._optuna.trial.TrialState.FAIL
        self.study.tell(number, value, state=failed if value is None else None, skip_if_finished=True)

    def _trials(self) -> list:
        return self.study.get_trials(deepcopy=False)

    def _are_whole(self, parameters: dict) -> bool:
        read = {"read"} if self.has_long_texts else set()
        return parameters.keys() == {"way", "temperature", "rate", "batch"} | read
