"""How a table is to be read: which columns are what, and what means no label."""

from pydantic import Field

from embedlab.config import Config


class Reading(Config):
    """What the user says about a corpus; what is left out is proposed from names and content."""

    text: str | None = Field(None, description="The column of the texts.")
    label: str | None = Field(None, description="The column of the labels; an empty name means none.")
    title: str | None = Field(None, description="The column of the titles; an empty name means none.")
    summaries: tuple[str, ...] | None = Field(
        None, description="One column of lists or JSON lists, or several text columns: the summaries of each text."
    )
    unlabeled: str | None = Field("unlabeled", description="The label value that means: no label.")
    encoding: str | None = Field(None, description="How the bytes spell characters, as in cp1252; found if not given.")
    name: str | None = Field(None, description="What the corpus is called.")
