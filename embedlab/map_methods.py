"""The map methods by name, in display order: what pages, commands and reports state about them without loading one."""

from dataclasses import dataclass

from embedlab.registry import Registry

OWN_MAP = "own"  # imported coordinates: a map without a method


@dataclass(frozen=True)
class MapMethod:
    """One map method; ``class_path`` names its class in ``embedlab/maps/``, ``cites`` its works."""

    key: str
    title: str
    paper: str
    class_path: str  # module.Class
    cites: tuple[str, ...] = ()
    aligned: str = "starting from"  # how the map after is laid on the one before


MAP_METHODS = Registry(
    "map method",
    [
        MapMethod("tsne", "t-SNE", "crops", "tsne.TSNE", ("vandermaaten2008tsne", "policar2024opentsne")),
        MapMethod("umap", "UMAP", "McInnes et al. 2018", "umap.UMAP", ("mcinnes2018umap",)),
        MapMethod("pca", "PCA", "Pearson 1901", "pca.PCA", aligned="rotated onto"),
    ],
)
ALL_MAPS = (*MAP_METHODS.keys(), OWN_MAP)


def map_title(method: str) -> str:
    """``t-SNE``; for imported coordinates that they are the user's own."""
    return "Own coordinates" if method == OWN_MAP else MAP_METHODS[method].title if method in MAP_METHODS else method


ANY_OF_EQUAL = "of equally near ones not always the first"  # which an exact search takes: said where it is approximate
