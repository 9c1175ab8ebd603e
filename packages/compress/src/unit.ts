/** A piece of a content that is shown or left out as a whole: a line, a row of a table, a pair of keys and values. */
export interface Unit {
  /** As it is shown. */
  readonly text: string;
  /** Cells of a row as they are shown; they are shortened one by one. */
  readonly cells?: readonly string[] | undefined;
  /** What stands in the cells of a row. */
  readonly values?: readonly unknown[] | undefined;
  /** Lines or rows of the content that it stands for, from 1, both included. */
  from: number;
  to: number;
  /** Names the columns of a table; shown with its rows only. */
  isHeader?: boolean | undefined;
  /** Place of the unit that it can't be read without: the name of its table, the file of a hunk, its heading. */
  head?: number | undefined;
  /** Units that this one is the head of, if it says how many of them are shown. */
  members?: number | undefined;
  /** How much it is worth by its place and its kind; usually 0. */
  weight: number;
}

/** Stands in front of the names of columns, above the numbers of rows. */
export const headerLabel = "row";

/** True for the name of a table and the names of its columns, which are no rows. */
export function isTitle({ isHeader, members }: Unit): boolean {
  return isHeader === true || members !== undefined;
}

/** What the numbers of units count. */
export type Numbering = "lines" | "rows";

/** The `claimOf` of a layout in which no words of an error say that something went wrong. */
export const noClaim = (): string => "";

/** Units in order, as in an array; a negative place counts from the end. */
export interface Units {
  readonly length: number;
  at(place: number): Unit | undefined;
}

/** Texts of units in one, so that few of them are looked at one by one. */
export interface JoinedTexts {
  text: string;
  /** Where each unit ends. */
  ends: Uint32Array;
}

export function listUnits(units: Units): Unit[] {
  const all = Array.from({ length: units.length }, (_, at) => units.at(at));
  return all.filter((unit) => unit !== undefined);
}

/** A content in units. */
export interface Layout {
  units: Units;
  /** Numbers in front of all that is shown, of rows of tables only, or a line of its own for each gap. */
  style: "numbered" | "table" | "gaps";
  noun: Numbering;
  /** Units near one that matters matter too, up to this many on each side. */
  context: number;
  /** Alike lines are shown once, with their number. */
  hasForms: boolean;
  /** Values that few of the alike lines have matter. */
  hasValues?: boolean | undefined;
  /** What alike lines have in common; for undefined, their words without their values. */
  maskOf?: ((line: string) => string | undefined) | undefined;
  /** What of a line may say that something went wrong; all of it where absent. */
  claimOf?: ((line: string) => string) | undefined;
  /** A line without its time and host, by which lines are alike; all of it where absent. */
  bodyOf?: ((line: string) => string) | undefined;
  /** A line without what leads all lines, for where room is scarce. */
  briefOf?: ((line: string) => string) | undefined;
}
