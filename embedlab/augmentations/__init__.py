"""Text -> views."""

from embedlab.augmentations.crop import Crop
from embedlab.augmentations.identity import Identity
from embedlab.augmentations.masking import Masking
from embedlab.registry import Registry

AUGMENTATIONS = Registry("augmentation", [Crop, Masking, Identity])
