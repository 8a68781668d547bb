"""Map methods as classes: embeddings to two coordinates."""

from importlib import import_module

from embedlab.map_methods import MAP_METHODS, MapMethod
from embedlab.maps.base import LayoutMethod
from embedlab.registry import Registry


def _loaded(method: MapMethod) -> type[LayoutMethod]:
    """The class of a method; its key, title and paper come from the list."""
    module, _, name = method.class_path.partition(".")
    part = getattr(import_module(f"embedlab.maps.{module}"), name)
    part.key, part.title, part.paper = method.key, method.title, method.paper
    return part


MAPS: Registry[type[LayoutMethod]] = Registry("map method", lambda: [_loaded(method) for method in MAP_METHODS])
