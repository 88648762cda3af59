"""Editions as data: TOML files with deck, colours, special cards and what they do (EDITIONS.md)."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.cards import EditionName
from companion.editions.edition import Edition
from companion.editions.library import printed
from companion.editions.options import (
    OPTIONS,
    InvalidOptionError,
    Option,
    OptionKind,
    Options,
    Scoring,
    Stacking,
    StartAction,
    StartWildChooser,
    TwoPlayerReverse,
)

EDITIONS: Mapping[EditionName, Edition] = MappingProxyType({name: printed()[name.value] for name in EditionName})
"""The printed editions."""

PROFILES = EDITIONS[EditionName.CLASSIC].profiles
"""What each profile of the printed editions changes in an edition's own options."""

__all__ = [
    "EDITIONS",
    "OPTIONS",
    "PROFILES",
    "Edition",
    "EditionName",
    "InvalidOptionError",
    "Option",
    "OptionKind",
    "Options",
    "Scoring",
    "Stacking",
    "StartAction",
    "StartWildChooser",
    "TwoPlayerReverse",
]
