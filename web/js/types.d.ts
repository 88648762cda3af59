/** Types that the pages' scripts share. What the API answers is in answers.d.ts, which `.ci/types` writes. */

import type { LegalAnswer, MatchAnswer, StateAnswer, ViewAnswer } from "./answers";

/** What is known of one player's seat: direction in degrees clockwise from up in the camera's picture. */
export type Seat = { player: string; direction: number | null; certainty: number; owed: number; taken: number };

/** A view while a match is on the table. */
export type Running = ViewAnswer & { match: MatchAnswer; state: StateAnswer; legal: LegalAnswer; seats?: Seat[] };
