"""A causal language model on this computer continues title, text and prompt, as the paper's Llama-3-8B does."""

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from embedlab.config import Config
from embedlab.errors import EncoderError, SettingsError
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent
from embedlab.summaries.base import Decisive, Made, SourceText, Summariser

if TYPE_CHECKING:  # torch takes seconds to import
    from embedlab.summaries.safe_causal_loading import CausalModel

_LEAST_ROOM = 64  # tokens of a text, below which no summary could be about it


class LocalConfig(Config):
    """The model and its sampling; where the paper is silent, as in the authors' related code."""

    model: str = Field(
        min_length=1,
        description="A causal language model in safetensors: hf:owner/name, or the path of a folder. The paper uses "
        "a base model, Llama-3-8B (hf:meta-llama/Meta-Llama-3-8B).",
    )
    max_new_tokens: int = Field(
        128, ge=4, le=1024, description="Maximum number of tokens in a summary; it ends at a line break."
    )
    max_input_tokens: int = Field(
        1300, ge=128, le=32_768, description="Tokens read; the beginning of a longer text is left out."
    )
    top_k: int = Field(3, ge=0, le=1000, description="Draws only from this many likeliest tokens; 0: all.")
    top_p: float = Field(
        0.95, gt=0.0, le=1.0, description="Draws only from the likeliest tokens that together have this probability."
    )
    temperature: float = Field(1.0, ge=0.05, le=5.0, description="Larger values draw unlikely tokens more often.")
    no_repeat_ngram_size: int = Field(
        5,
        ge=0,
        le=20,
        description="This many consecutive tokens never occur twice, including those of the text; 0: they may.",
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="The same seed and text give the same summaries.")
    precision: Literal["auto", "bf16", "fp32"] = Field(
        "auto", description="Number format of the model; automatic takes bf16 where the device supports it."
    )
    texts_at_once: int = Field(
        8, ge=1, le=256, description="Texts processed together: more is faster but needs memory."
    )


class LocalLanguageModel(Summariser[LocalConfig]):
    """Any causal language model of an admitted kind, from the hub or a folder."""

    key = "local"
    title = "Language model"
    sentence = "A causal language model on this computer's device continues five prompts, as in the paper."
    paper = "SemCSE, section 4.1 and A.2"
    config_class = LocalConfig
    speed_only = frozenset({"texts_at_once"})

    def __init__(self, config: LocalConfig, *, continuations: int = 3):
        super().__init__(config, continuations=continuations)
        self.at_once = config.texts_at_once
        self._loaded: CausalModel | None = None
        self._weights = ""

    @property
    def model(self) -> str:
        name = self.config.model
        return name if name.startswith("hf:") else Path(name).name

    def prepare(self, progress: Progress = silent) -> None:
        """Download the model if it is on a hub, then load it; afterwards nothing connects."""
        import torch

        from embedlab.device import choose_device
        from embedlab.offline import go_offline
        from embedlab.summaries.safe_causal_loading import load_causal

        folder = _folder(self.config.model, progress)
        go_offline()
        device = choose_device("auto")
        wide = self.config.precision == "fp32" or (self.config.precision == "auto" and not device.supports_bf16)
        progress(f"Loading {self.model}")
        self._loaded = loaded = load_causal(folder, device=device, dtype=torch.float32 if wide else torch.bfloat16)
        self._weights = folder.name  # which copy of the weights it is: its commit, else size and time of each file
        if "@" not in folder.name:
            files = [(file.name, file.stat()) for file in sorted(folder.glob("*.safetensors"))]
            self._weights = " ".join(f"{name} {each.st_size} {each.st_mtime_ns}" for name, each in files)
        self.room = min(self.config.max_input_tokens, loaded.positions - self.config.max_new_tokens)
        if self.room < _LEAST_ROOM:
            raise SettingsError(
                "E-POSITIONS",
                f"At least {_LEAST_ROOM} tokens of a text must be read, but {self.model} has "
                f"{loaded.positions:,} positions and {self.config.max_new_tokens:,} are for the summary. "
                "Lower max_new_tokens, or choose another model.",
            )

    def decides(self) -> Decisive:
        return {**super().decides(), "weights": self._weights}

    def summarise(
        self, texts: Sequence[SourceText], tick: Callable[[], None] = lambda: None
    ) -> Generator[Made, None, None]:
        from embedlab.summaries.generation import continue_texts

        assert self._loaded is not None, "it is prepared first"
        for start in range(0, len(texts), self.at_once):
            group = texts[start : start + self.at_once]
            yield from continue_texts(
                self._loaded, group, self.config, n=self.continuations, longest=self.room, tick=tick
            )


def _folder(reference: str, progress: Progress) -> Path:
    if reference.startswith("hf:"):
        from embedlab.encoders.hub import fetch_encoder
        from embedlab.encoders.transformer_config import read_config
        from embedlab.summaries.safe_causal_loading import CAUSAL

        return fetch_encoder(
            reference.removeprefix("hf:"),
            progress=progress,
            largest_bytes=LIMITS.language_model_bytes,
            reads=lambda folder: read_config(folder, CAUSAL),
        )
    folder = Path(reference).expanduser()
    if not folder.is_dir():
        raise EncoderError(
            "E-UNKNOWN-MODEL",
            f"A causal language model is needed, but {reference[:120]!r} is not a folder. Write hf:owner/name for one "
            "of the hub, or the path of a folder with config.json, tokenizer.json and model.safetensors.",
        )
    return folder
