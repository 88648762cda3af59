/** Types that the pages' scripts share. What the API answers is in answers.d.ts, which `.ci/types` writes. */

import type {
  LegalAnswer,
  MatchAnswer,
  MatchBody,
  MoveBody,
  QuestionAnswer,
  RulingAnswer,
  StateAnswer,
  ViewAnswer,
} from "./answers";

/** A colour of the edition that is played, by its ID. */
export type Color = string;

/** What is known of one player's seat: direction in degrees clockwise from up in the camera's picture. */
export type Seat = { player: string; direction: number | null; certainty: number; owed: number; taken: number };

/** A view while a match is on the table. */
export type Running = ViewAnswer & { match: MatchAnswer; state: StateAnswer; legal: LegalAnswer; seats?: Seat[] };

/** A move as the history has it: as in a transcript, which fields there are depends on what was done. */
export type Move = { do: MoveBody["do"]; card: string; color: Color; player: string; cards: string[]; points: number };

/** What followed from a move; which other fields there are depends on which effect it is. */
export type Effect = { effect: string; item: string; player: string; hit: string[]; count: number; why: string };

/** How a match was set up last, with the family's own rules. */
export type Wishes = Partial<MatchBody> & { our_rules?: MatchBody["options"] };

/** What is announced once, as it happens. */
export type Update = {
  kind: string;
  sentences: string[];
  ruling: RulingAnswer | null;
  question: QuestionAnswer | null;
  notice: string | null;
};

/** The camera's newest picture, by its address, and the outlines in it. */
export type Frame = { n: number; width: number; height: number; pile: number[][] | null };

/** A message of the live stream: which event, with the id after which the stream resumes. */
export type Heard = { event: string; id: string; data: unknown };
/** What follows the live stream. audible: whether it matters to it while nobody sees the page. */
export type Follower = {
  hear: (heard: Heard) => void;
  online: (online: boolean) => void;
  signedOut: () => void;
  audible: () => boolean;
};

/** What an element may hold; what is none is left out. */
export type Child = Node | string | number | boolean | null | undefined | Child[];

type Tags = HTMLElementTagNameMap;
/** What an element is made with: attributes, properties and listeners, whose events are this element's own. */
export type Props<K extends keyof Tags> = { [name: string]: unknown } & {
  [E in keyof GlobalEventHandlersEventMap as `on${E}`]?:
    | ((event: GlobalEventHandlersEventMap[E] & { target: Tags[K] }) => unknown)
    | false
    | null;
};
/** An element that `h` has made: it knows what it listens to. */
export type Made = HTMLElement & { listens?: string[]; disabled?: boolean; [listener: `on${string}`]: unknown };
/** What closes a dialog, with what it is answered. */
export type Close<T> = (value: T | null) => void;

/** A card of a hand: its outline in pixels of the picture, the number of the picture, or -1 where it was tapped. */
export type Held = {
  card: string;
  other: string | null;
  quad: number[][] | null;
  picture: number;
  confidence: number;
};
