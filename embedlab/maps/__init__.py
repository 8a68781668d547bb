"""Map methods as classes: embeddings to two coordinates."""

from embedlab.map_methods import MAP_METHODS
from embedlab.maps.base import LayoutMethod
from embedlab.registry import Registry, classes_in

MAPS: Registry[type[LayoutMethod]] = Registry("map method", lambda: classes_in(__name__, MAP_METHODS))
