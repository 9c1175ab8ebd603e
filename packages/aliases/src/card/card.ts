/** The kinds of files that a card can summarize. */
export type CardKind =
  | "decision"
  | "options"
  | "schema"
  | "profile"
  | "code"
  | "test"
  | "doc"
  | "plain";

/** The kinds that have their own reader. */
export type ReadKind = Exclude<CardKind, "plain">;

/** An index card: up to 10 lines of up to 100 characters, each starting with `- `. */
export interface Card {
  kind: CardKind;
  lines: string[];
  /** The lines, joined with newlines. */
  text: string;
}
