"""The works a run rests on, as data, and which of them a recipe, an encoder or a corpus asks for.

Titles, authors and places are those of the papers' own pages and reference lists; where they name no year or place,
there is none here. The crops paper is under review without its authors' names.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Citation:
    """One BibTeX entry; ``short`` is how a sentence names it."""

    key: str
    short: str
    kind: str
    author: str
    title: str
    fields: dict[str, str] = field(default_factory=dict)

    def bibtex(self) -> str:
        """``@article{…}``"""
        rows = {"author": self.author, "title": f"{{{self.title}}}", **self.fields}
        width = max(map(len, rows))
        lines = [f"  {name:<{width}} = {{{value}}}," for name, value in rows.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def _paper(key: str, short: str, author: str, title: str, place: str, year: str, kind: str = "inproceedings", **more):
    name = {"inproceedings": "booktitle", "article": "journal"}.get(kind, "howpublished")
    return Citation(key, short, kind, author, title, {**({name: place} if place else {}), "year": year, **more})


_EMNLP19 = "Proceedings of EMNLP-IJCNLP 2019"
_EMNLP21 = "Proceedings of the 2021 Conference on Empirical Methods in Natural Language Processing"
_JEBS = "Journal of Educational and Behavioral Statistics"
CITATIONS = {
    each.key: each
    for each in [
        Citation(
            "crops",
            "the crops paper",
            "misc",
            "{Anonymous authors}",
            "Is self-supervision enough for training sentence embeddings?",
            {"note": "Paper under double-blind review"},
        ),
        _paper(
            "wang2021tsdae", "Wang et al., 2021", "Wang, Kexin and Reimers, Nils and Gurevych, Iryna",
            "TSDAE: Using transformer-based sequential denoising auto-encoder for unsupervised sentence embedding "
            "learning",
            "Findings of the Association for Computational Linguistics: EMNLP 2021", "2021", pages="671--688",
        ),
        Citation(
            "unsee", "UNSEE", "misc", "{\\c{C}}a{\\u{g}}atan, {\\\"O}mer Veysel",
            "UNSEE: Unsupervised Non-contrastive Sentence Embeddings",
        ),
        Citation(
            "semcse", "SemCSE", "misc", "Brinner, Marc and Zarrie{\\ss}, Sina",
            "SemCSE: Semantic Contrastive Sentence Embeddings Using LLM-Generated Summaries For Scientific Abstracts",
        ),
        Citation(
            "laser3", "LA(SER)³", "misc",
            "Xiao, Chenghao and Li, Yizhi and Hudson, G Thomas and Lin, Chenghua and Al Moubayed, Noura",
            "Length is a Curse and a Blessing for Document-level Semantics",
        ),
        _paper(
            "gao2021simcse", "Gao et al., 2021", "Gao, Tianyu and Yao, Xingcheng and Chen, Danqi",
            "SimCSE: Simple contrastive learning of sentence embeddings", _EMNLP21, "2021", pages="6894--6910",
        ),
        _paper(
            "carlsson2021tension", "Carlsson et al., 2021",
            "Carlsson, Fredrik and Gogoulou, Evangelina and Ylip{\\\"a}{\\\"a}, Erik and Cuba Gyllensten, Amaru and "
            "Sahlgren, Magnus",
            "Semantic re-tuning with contrastive tension", "International Conference on Learning Representations",
            "2021",
        ),
        _paper(
            "yu2022cocodr", "Yu et al., 2022",
            "Yu, Yue and Xiong, Chenyan and Sun, Si and Zhang, Chao and Overwijk, Arnold",
            "COCO-DR: Combating distribution shifts in zero-shot dense retrieval with contrastive and distributionally "
            "robust learning", "", "2022", kind="misc",
        ),
        _paper(
            "zbontar2021barlow", "Zbontar et al., 2021",
            "Zbontar, Jure and Jing, Li and Misra, Ishan and LeCun, Yann and Deny, St{\\'e}phane",
            "Barlow twins: Self-supervised learning via redundancy reduction", "ICML", "2021",
        ),
        _paper(
            "bardes2022vicreg", "Bardes et al., 2022", "Bardes, Adrien and Ponce, Jean and LeCun, Yann",
            "VICReg: Variance-invariance-covariance regularization for self-supervised learning", "ICLR", "2022",
        ),
        _paper(
            "ozsoy2022corinfomax", "Ozsoy et al., 2022",
            "Ozsoy, Serdar and Hamdan, Shadi and Arik, Sercan {\\\"O}. and Yuret, Deniz and Erdogan, Alper T.",
            "Self-supervised learning with an information maximization criterion", "", "2022", kind="misc",
        ),
        _paper(
            "devlin2019bert", "Devlin et al., 2019",
            "Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova, Kristina",
            "BERT: Pre-training of deep bidirectional transformers for language understanding",
            "Proceedings of NAACL-HLT", "2019", pages="4171--4186",
        ),
        _paper(
            "reimers2019sbert", "Reimers and Gurevych, 2019", "Reimers, Nils and Gurevych, Iryna",
            "Sentence-BERT: Sentence embeddings using siamese BERT-networks", _EMNLP19, "2019", pages="3982--3992",
        ),
        _paper(
            "song2020mpnet", "Song et al., 2020",
            "Song, Kaitao and Tan, Xu and Qin, Tao and Lu, Jianfeng and Liu, Tie-Yan",
            "MPNet: Masked and permuted pre-training for language understanding",
            "Advances in Neural Information Processing Systems", "2020", kind="article", volume="33",
            pages="16857--16867",
        ),
        _paper(
            "wang2020minilm", "Wang et al., 2020",
            "Wang, Wenhui and Wei, Furu and Dong, Li and Bao, Hangbo and Yang, Nan and Zhou, Ming",
            "MiniLM: Deep self-attention distillation for task-agnostic compression of pre-trained transformers",
            "Advances in Neural Information Processing Systems", "2020", kind="article", volume="33",
            pages="5776--5788",
        ),
        _paper(
            "beltagy2019scibert", "Beltagy et al., 2019", "Beltagy, Iz and Lo, Kyle and Cohan, Arman",
            "SciBERT: A pretrained language model for scientific text", _EMNLP19, "2019", pages="3615--3620",
        ),
        _paper(
            "giorgi2021declutr", "Giorgi et al., 2021",
            "Giorgi, John and Nitski, Osvald and Wang, Bo and Bader, Gary",
            "DeCLUTR: Deep contrastive learning for unsupervised textual representations",
            "Proceedings of ACL-IJCNLP 2021", "2021", pages="879--895",
        ),
        _paper(
            "ostendorff2022scincl", "Ostendorff et al., 2022",
            "Ostendorff, Malte and Rethmeier, Nils and Augenstein, Isabelle and Gipp, Bela and Rehm, Georg",
            "Neighborhood contrastive learning for scientific document representations with citation embeddings",
            "Proceedings of the 2022 Conference on Empirical Methods in Natural Language Processing", "2022",
            pages="11670--11688",
        ),
        _paper(
            "cohan2020specter", "Cohan et al., 2020",
            "Cohan, Arman and Feldman, Sergey and Beltagy, Iz and Downey, Doug and Weld, Daniel S",
            "SPECTER: Document-level representation learning using citation-informed transformers",
            "Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics", "2020",
            pages="2270--2282",
        ),
        _paper(
            "singh2023scirepeval", "Singh et al., 2023",
            "Singh, Amanpreet and D'Arcy, Mike and Cohan, Arman and Downey, Doug and Feldman, Sergey",
            "SciRepEval: A multi-format benchmark for scientific document representations", "arXiv preprint",
            "2023", kind="article", eprint="2211.13308",
        ),
        _paper(
            "oord2018cpc", "van den Oord et al., 2018", "van den Oord, Aaron and Li, Yazhe and Vinyals, Oriol",
            "Representation learning with contrastive predictive coding", "arXiv preprint arXiv:1807.03748", "2018",
            kind="article",
        ),
        _paper(
            "khosla2020supcon", "Khosla et al., 2020",
            "Khosla, Prannay and Teterwak, Piotr and Wang, Chen and Sarna, Aaron and Tian, Yonglong and Isola, Phillip "
            "and Maschinot, Aaron and Liu, Ce and Krishnan, Dilip",
            "Supervised contrastive learning", "Advances in Neural Information Processing Systems", "2020",
        ),
        _paper(
            "kingma2014adam", "Kingma and Ba, 2014", "Kingma, Diederik P and Ba, Jimmy",
            "Adam: A method for stochastic optimization", "arXiv preprint arXiv:1412.6980", "2014", kind="article",
        ),
        _paper(
            "jones1972idf", "Sparck Jones, 1972", "Sparck Jones, Karen",
            "A statistical interpretation of term specificity and its application in retrieval",
            "Journal of Documentation", "1972", kind="article",
        ),
        _paper(
            "pedregosa2011sklearn", "Pedregosa et al., 2011",
            "Pedregosa, F. and Varoquaux, G. and Gramfort, A. and Michel, V. and Thirion, B. and Grisel, O. and "
            "Blondel, M. and Prettenhofer, P. and Weiss, R. and Dubourg, V. and Vanderplas, J. and Passos, A. and "
            "Cournapeau, D. and Brucher, M. and Perrot, M. and Duchesnay, E.",
            "Scikit-learn: Machine learning in Python", "Journal of Machine Learning Research", "2011", kind="article",
            volume="12", pages="2825--2830",
        ),
        _paper(
            "bonett2012paired", "Bonett and Price, 2012", "Bonett, Douglas G. and Price, Robert M.",
            "Adjusted Wald Confidence Interval for a Difference of Binomial Proportions Based on Paired Data", _JEBS,
            "2012", kind="article",
        ),
        _paper(
            "policar2024opentsne", "Poličar et al., 2024",
            "Poli{\\v{c}}ar, Pavlin G and Stra{\\v{z}}ar, Martin and Zupan, Bla{\\v{z}}",
            "openTSNE: A modular Python library for t-SNE dimensionality reduction and embedding",
            "Journal of Statistical Software", "2024", kind="article", volume="109", pages="1--30",
        ),
        _paper(
            "vandermaaten2008tsne", "van der Maaten and Hinton, 2008", "van der Maaten, Laurens and Hinton, Geoffrey",
            "Visualizing data using t-SNE", "Journal of Machine Learning Research", "2008", kind="article",
            volume="9", number="11",
        ),
        _paper(
            "mcinnes2018umap", "McInnes et al., 2018", "McInnes, Leland and Healy, John and Melville, James",
            "UMAP: Uniform Manifold Approximation and Projection for Dimension Reduction",
            "arXiv preprint arXiv:1802.03426", "2018", kind="article",
        ),
        _paper(
            "gonzalez2024iclr", "González-Márquez and Kobak, 2024",
            "Gonz{\\'a}lez-M{\\'a}rquez, Rita and Kobak, Dmitry",
            "Learning representations of learning representations",
            "ICLR 2024 Workshop on Data-centric Machine Learning Research (DMLR): Harnessing Momentum for Science",
            "2024",
        ),
        _paper(
            "muennighoff2023mteb", "Muennighoff et al., 2023",
            "Muennighoff, Niklas and Tazi, Nouamane and Magne, Loic and Reimers, Nils",
            "MTEB: Massive text embedding benchmark",
            "Proceedings of the 17th Conference of the European Chapter of the Association for Computational "
            "Linguistics",
            "2023",
        ),
    ]
}  # fmt: skip
