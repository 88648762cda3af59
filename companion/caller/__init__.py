"""The caller: short sentences about the game in the players' language.

The code holds the English sentences; `locale/` has a gettext catalogue per language.
"""

from companion.caller.caller import Caller
from companion.caller.language import CATALOGUES, DOMAIN, LANGUAGES, UnknownLanguageError
from companion.caller.sheet import SheetEntry, SheetPart

__all__ = ["CATALOGUES", "DOMAIN", "LANGUAGES", "Caller", "SheetEntry", "SheetPart", "UnknownLanguageError"]
