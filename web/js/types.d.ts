/** Types that the pages' scripts share. What the API answers is in answers.d.ts, which `.ci/types` writes. */

import type { LegalAnswer, MatchAnswer, StateAnswer, ViewAnswer } from "./answers";

/** A view while a match is on the table. */
export type Running = ViewAnswer & { match: MatchAnswer; state: StateAnswer & { debt?: number }; legal: LegalAnswer };
