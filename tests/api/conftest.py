"""Settings of a run that takes a second, as ``train`` takes them, and the toy texts as a DataFrame."""

import pandas as pd
import pytest
from built_once import TOKEN
from toy_corpora import toy_texts


@pytest.fixture
def tiny() -> dict:
    """Those of ``token_run``."""
    return {**TOKEN, "progress": False}


@pytest.fixture
def frame() -> pd.DataFrame:
    """120 texts in four classes; the column of the texts is called ``abstract``, that of the labels ``topic``."""
    texts, labels = toy_texts()
    return pd.DataFrame({"abstract": texts, "topic": labels, "year": range(120)})
