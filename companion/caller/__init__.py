"""The caller at the table: what happened, in short sentences, in the language of the players.

The sentences are English in the code; `locale/` has a gettext catalogue for each language.
"""

from companion.caller.caller import Caller
from companion.caller.language import CATALOGUES, DOMAIN, LANGUAGES, UnknownLanguageError
from companion.caller.sheet import SheetEntry, SheetPart

__all__ = ["CATALOGUES", "DOMAIN", "LANGUAGES", "Caller", "SheetEntry", "SheetPart", "UnknownLanguageError"]
