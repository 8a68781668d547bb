"""The encoders of 2023 to 2026 that are known by name, in three sizes; facts as their hub pages state them."""

from embedlab.encoder_catalog.entry import STATIC, CatalogEncoder

_SEARCH = {"query": "Represent this sentence for searching relevant passages: "}
_E5 = {"query": "query: ", "document": "passage: "}
_NOMIC = {"query": "search_query: ", "document": "search_document: "}
_TINY, _SMALL, _BASE, _LARGE = (
    {"dim": dim, "layers": layers} for dim, layers in ((384, 6), (384, 12), (768, 12), (1024, 24))
)
_MODERN = {"dim": 768, "layers": 22, "parameters": 149_014_272, "longest": 8_192, "kind": "modernbert"}

RECENT = (
    CatalogEncoder(
        cites=("tulkens2024model2vec",),
        key="potion-8m", title="potion base 8M", hub_id="minishlab/potion-base-8M", kind=STATIC, dim=256, layers=0,
        parameters=7_559_168, download_bytes=30_200_000, licence="mit", paper="Tulkens & van Dongen 2024 (Model2Vec)",
        note="a vector for each word piece, distilled from bge-base and trained on; thousands of texts a second",
    ),
    CatalogEncoder(
        cites=("tulkens2024model2vec",),
        key="potion-32m", title="potion base 32M", hub_id="minishlab/potion-base-32M", kind=STATIC, dim=512, layers=0,
        parameters=32_302_592, download_bytes=129_000_000, licence="mit", paper="Tulkens & van Dongen 2024 (Model2Vec)",
        note="as potion-8m, of more word pieces and dimensions",
    ),
    CatalogEncoder(
        cites=("awasthy2025granite",),
        key="granite-30m", title="Granite Embedding 30M (English)", hub_id="ibm-granite/granite-embedding-30m-english",
        kind="roberta", pooling="cls", **_TINY, parameters=30_147_456, download_bytes=60_600_000, longest=512,
        licence="apache-2.0", paper="Awasthy et al. 2025",
    ),
    CatalogEncoder(
        cites=("wang2020minilm", "reimers2019sbert"),
        key="minilm-l12", title="MiniLM, 12 layers", hub_id="sentence-transformers/all-MiniLM-L12-v2", **_SMALL,
        parameters=33_212_160, download_bytes=133_000_000, longest=128, licence="apache-2.0",
        paper="Wang et al. 2020; Reimers & Gurevych 2019",
    ),
    CatalogEncoder(
        cites=("xiao2023cpack",),
        key="bge-small", title="BGE small (English, v1.5)", hub_id="BAAI/bge-small-en-v1.5", pooling="cls", **_SMALL,
        parameters=33_212_160, download_bytes=133_000_000, longest=512, licence="mit",
        paper="Xiao et al. 2023 (C-Pack)", prompts=_SEARCH,
    ),
    CatalogEncoder(
        cites=("wang2022e5",),
        key="e5-small", title="E5 small (v2)", hub_id="intfloat/e5-small-v2", **_SMALL, parameters=33_212_160,
        download_bytes=133_000_000, longest=512, licence="mit", paper="Wang et al. 2022 (E5)", prompts=_E5,
    ),
    CatalogEncoder(
        cites=("merrick2024arctic",),
        key="arctic-s", title="Snowflake Arctic Embed S", hub_id="Snowflake/snowflake-arctic-embed-s", pooling="cls",
        **_SMALL, parameters=33_212_160, download_bytes=133_000_000, longest=512, licence="apache-2.0",
        paper="Merrick et al. 2024", prompts=_SEARCH,
    ),
    CatalogEncoder(
        cites=("wang2024me5",),
        key="multilingual-e5-small", title="Multilingual E5 small", hub_id="intfloat/multilingual-e5-small", **_SMALL,
        parameters=117_505_920, download_bytes=471_000_000, longest=512, licence="mit", paper="Wang et al. 2024",
        note="about a hundred languages; most of its parameters are the vocabulary", prompts=_E5,
    ),
    CatalogEncoder(
        cites=("xiao2023cpack",),
        key="bge-base", title="BGE base (English, v1.5)", hub_id="BAAI/bge-base-en-v1.5", pooling="cls", **_BASE,
        parameters=108_891_648, download_bytes=438_000_000, longest=512, licence="mit",
        paper="Xiao et al. 2023 (C-Pack)", prompts=_SEARCH,
    ),
    CatalogEncoder(
        cites=("wang2022e5",),
        key="e5-base", title="E5 base (v2)", hub_id="intfloat/e5-base-v2", **_BASE, parameters=108_891_648,
        download_bytes=438_000_000, longest=512, licence="mit", paper="Wang et al. 2022 (E5)", prompts=_E5,
    ),
    CatalogEncoder(
        cites=("merrick2024arctic",),
        key="arctic-m", title="Snowflake Arctic Embed M", hub_id="Snowflake/snowflake-arctic-embed-m", pooling="cls",
        **_BASE, parameters=108_891_648, download_bytes=436_000_000, longest=512, licence="apache-2.0",
        paper="Merrick et al. 2024", prompts=_SEARCH,
    ),
    CatalogEncoder(
        cites=("awasthy2025granite",),
        key="granite-125m", title="Granite Embedding 125M (English)",
        hub_id="ibm-granite/granite-embedding-125m-english", kind="roberta", pooling="cls", **_BASE,
        parameters=124_055_808, download_bytes=249_000_000, longest=512, licence="apache-2.0",
        paper="Awasthy et al. 2025",
    ),
    CatalogEncoder(
        cites=("nussbaum2024nomic",),
        key="nomic-v1.5", title="Nomic Embed Text v1.5", hub_id="nomic-ai/nomic-embed-text-v1.5", kind="nomic_bert",
        **_BASE, parameters=136_731_648, download_bytes=547_000_000, longest=8_192, licence="apache-2.0",
        paper="Nussbaum et al. 2024", note="Matryoshka: its first 64 to 512 dimensions serve as well", prompts=_NOMIC,
    ),
    CatalogEncoder(
        cites=("warner2024modernbert",),
        key="modernbert-base", title="ModernBERT base", hub_id="answerdotai/ModernBERT-base", **_MODERN,
        download_bytes=599_000_000, licence="apache-2.0", paper="Warner et al. 2024",
        note="a masked language model, never trained for sentences",
    ),
    CatalogEncoder(
        cites=("nussbaum2024nomic", "warner2024modernbert"),
        key="modernbert-embed", title="ModernBERT Embed base", hub_id="nomic-ai/modernbert-embed-base", **_MODERN,
        download_bytes=596_000_000, licence="apache-2.0", paper="Nussbaum et al. 2024; Warner et al. 2024",
        prompts=_NOMIC,
    ),
    CatalogEncoder(
        cites=("zhang2024mgte", "warner2024modernbert"),
        key="gte-modernbert", title="GTE ModernBERT base", hub_id="Alibaba-NLP/gte-modernbert-base", pooling="cls",
        **_MODERN, download_bytes=298_000_000, licence="apache-2.0",
        paper="Zhang et al. 2024 (mGTE); Warner et al. 2024",
    ),
    CatalogEncoder(
        cites=("benallal2025smollm2",),
        key="smollm2-135m", title="SmolLM2 135M", hub_id="HuggingFaceTB/SmolLM2-135M", kind="llama", dim=576, layers=30,
        parameters=134_515_008, download_bytes=269_000_000, longest=8_192, licence="apache-2.0",
        paper="Ben Allal et al. 2025", note="a decoder that writes texts, never trained for sentences",
    ),
    CatalogEncoder(
        cites=("vera2025embeddinggemma",),
        key="embeddinggemma", title="EmbeddingGemma 300M", hub_id="google/embeddinggemma-300m", kind="gemma3_text",
        dim=768, layers=24, parameters=302_863_104, download_bytes=1_211_000_000, longest=2_048, licence="gemma",
        paper="Schechter Vera et al. 2025",
        note="over a hundred languages; Matryoshka: its first 128 to 512 dimensions serve as well; accept its terms on "
        "the hub first",
        prompts={"query": "task: search result | query: ", "document": "title: none | text: "},
    ),
    CatalogEncoder(
        cites=("li2023angle",),
        key="mxbai-large", title="mxbai Embed large (v1)", hub_id="mixedbread-ai/mxbai-embed-large-v1", pooling="cls",
        **_LARGE, parameters=334_092_288, download_bytes=670_000_000, longest=512, licence="apache-2.0",
        paper="Li & Li 2023 (AnglE)", prompts=_SEARCH,
    ),
    CatalogEncoder(
        cites=("chen2024bgem3",),
        key="bge-m3", title="BGE M3", hub_id="BAAI/bge-m3", kind="xlm-roberta", pooling="cls", **_LARGE,
        parameters=566_705_152, download_bytes=2_271_000_000, longest=8_192, licence="mit", paper="Chen et al. 2024",
        note="over a hundred languages; its dense vectors alone; of pickled weights the hub's conversion is taken",
    ),
    CatalogEncoder(
        cites=("zhang2025qwen3embedding",),
        key="qwen3-embedding-0.6b", title="Qwen3 Embedding 0.6B", hub_id="Qwen/Qwen3-Embedding-0.6B", kind="qwen3",
        pooling="last", dim=1024, layers=28, parameters=595_776_512, download_bytes=1_192_000_000, longest=32_768,
        licence="apache-2.0", paper="Zhang et al. 2025",
        note="a decoder, read at its last token; Matryoshka: its first 32 and more dimensions serve as well",
        prompts={
            "query": "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
        },
    ),
)  # fmt: skip
