"""Which settings are tried next: Optuna's sampler, asked and told, its journal in the Find's folder."""

from dataclasses import dataclass

from embedlab.encoder_names import is_token_layer, kind_of
from embedlab.finds.store import Find
from embedlab.training.settings import TOKEN_LEARNING_RATE, TRANSFORMER_LEARNING_RATE, WORDS_LEARNING_RATE

LENGTHS = (0.5, 1.0, 2.0, 4.0)  # times the length that fits the texts
BATCHES = (64, 128, 256, 512)
TEMPERATURES, RATES = (0.02, 0.5), (0.2, 5.0)  # the second times the encoder's own
DRAWN_BLINDLY = 10  # before the sampler learns from what it was told


@dataclass(frozen=True)
class Way:
    """An encoder and a recipe whose views these texts give; ``against`` of pairs of sentences."""

    encoder: str
    recipe: str
    against: str = ""

    @property
    def key(self) -> str:
        """As the journal keeps it."""
        return "/".join(filter(None, (self.encoder, self.recipe, self.against)))

    @property
    def title(self) -> str:
        """``sentences against the rest on words``"""
        return f"{self.recipe}{f' against the {self.against}' if self.against else ''} on {self.encoder}"

    @property
    def usual(self) -> dict:
        """The parameters that a run takes where nobody says otherwise."""
        temperature = 0.1 if kind_of(self.encoder) == "words" else 0.05
        batch = 256 if is_token_layer(self.encoder) else 64
        return {"way": self.key, "length": 1.0, "temperature": temperature, "rate": 1.0, "batch": batch}

    def settings(self, parameters: dict) -> dict:
        """Of a run that takes these parameters; how long it trains is not among them."""
        usual_rate = {"token": TOKEN_LEARNING_RATE, "words": WORDS_LEARNING_RATE}.get(
            kind_of(self.encoder), TRANSFORMER_LEARNING_RATE
        )
        return {
            "encoder": self.encoder,
            "recipe": self.recipe,
            "batch_size": parameters["batch"],
            "learning_rate": float(f"{usual_rate * parameters['rate']:.3g}"),
            "objective": {"temperature": float(f"{parameters['temperature']:.3g}")},
            **({"augmentation": {"against": self.against}} if self.against else {}),
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
        journal = str(find.journal)
        self.study = optuna.create_study(
            storage=JournalStorage(JournalFileBackend(journal, lock_obj=JournalFileOpenLock(journal))),
            study_name="find",
            direction="maximize",
            load_if_exists=True,
        )
        if not self.study.trials:
            for parameters in [*(way.usual for way in ways), *first]:
                if parameters["way"] in self.ways:
                    self.study.enqueue_trial(parameters, skip_if_exists=True)

    def ask(self, number: int) -> dict:
        """The parameters of trial ``number``; asked again for one that is there, the same."""
        if number < len(self.study.trials) and self._are_whole(drawn := self.study.trials[number].params):
            return drawn
        self.study.sampler = self._optuna.samplers.TPESampler(
            seed=self.seed * 10_007 + number, n_startup_trials=DRAWN_BLINDLY
        )
        trial = self.study.ask()
        while trial.number < number:  # asked when its worker was killed, before it drew anything
            self.study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            trial = self.study.ask()
        trial.suggest_categorical("way", list(self.ways))
        trial.suggest_categorical("length", LENGTHS)
        trial.suggest_float("temperature", *TEMPERATURES, log=True)
        trial.suggest_float("rate", *RATES, log=True)
        trial.suggest_categorical("batch", BATCHES)
        return trial.params

    def tell(self, number: int, value: float | None) -> None:
        """What came of it in the first rung; None where it failed."""
        failed = self._optuna.trial.TrialState.FAIL
        self.study.tell(number, value, state=failed if value is None else None, skip_if_finished=True)

    @staticmethod
    def _are_whole(parameters: dict) -> bool:
        return parameters.keys() == {"way", "length", "temperature", "rate", "batch"}
