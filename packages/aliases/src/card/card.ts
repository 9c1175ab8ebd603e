/** Which of the fixed forms a card has. */
export type CardKind =
  | "decision"
  | "options"
  | "schema"
  | "profile"
  | "code"
  | "test"
  | "doc"
  | "plain";

/** An index card: at most 10 lines of at most 100 characters, each starting with `- `. */
export interface Card {
  kind: CardKind;
  lines: string[];
  /** The lines, joined with line feeds. */
  text: string;
}
