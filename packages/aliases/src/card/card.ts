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

/** The kinds that have a reader of their own. */
export type ReadKind = Exclude<CardKind, "plain">;

/** An index card: up to 10 lines of up to 100 characters, each starting with `- `. */
export interface Card {
  kind: CardKind;
  lines: string[];
  /** The lines, joined with line feeds. */
  text: string;
}
