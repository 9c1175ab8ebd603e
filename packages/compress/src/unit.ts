/**
 * A piece of a content that is shown or left out as a whole: a line, a row of a table, or a group of `key=value` pairs.
 */
export interface Unit {
  /** The text as it is shown. */
  readonly text: string;
  /** Cells of a row as they are shown. Each can be shortened separately. */
  readonly cells?: readonly string[] | undefined;
  /** The values in the cells of a row. */
  readonly values?: readonly unknown[] | undefined;
  /** Lines or rows of the content that the unit covers, counted from 1, both ends included. */
  from: number;
  to: number;
  /** True for the column names of a table, which are shown only with its rows. */
  isHeader?: boolean | undefined;
  /** Place of the unit that gives it meaning: the name of its table, the file of a hunk, its heading. */
  head?: number | undefined;
  /** Set if this unit is a head that says how many of its units are shown. */
  members?: number | undefined;
  /** What its place and kind add to its worth. Usually 0. */
  weight: number;
}

/** Precedes the column names, above the numbers of rows. */
export const headerLabel = "row";

/** True for the name of a table and the names of its columns. */
export function isTitle({ isHeader, members }: Unit): boolean {
  return isHeader === true || members !== undefined;
}

/** What the numbers of units count. */
export type Numbering = "lines" | "rows";

/** The `claimOf` of a layout in which words about errors do not mean that something went wrong. */
export const noClaim = (): string => "";

/** Units in order, like an array. A negative place counts from the end. */
export interface Units {
  readonly length: number;
  at(place: number): Unit | undefined;
}

/** The texts of all units in one string, so that few units must be examined separately. */
export interface JoinedTexts {
  text: string;
  /** Offset at which each unit ends. */
  ends: Uint32Array;
}

export function listUnits(units: Units): Unit[] {
  const all = Array.from({ length: units.length }, (_, at) => units.at(at));
  return all.filter((unit) => unit !== undefined);
}

/** A content that was split into units. */
export interface Layout {
  units: Units;
  /** Line numbers on everything that is shown, on rows of tables only, or a separate line for each gap. */
  style: "numbered" | "table" | "gaps";
  noun: Numbering;
  /** Up to this many units on each side of a unit that matters are worth showing too. */
  context: number;
  /** True if similar lines are shown once, with their number. */
  hasForms: boolean;
  /** True if rare values among similar lines matter. */
  hasValues?: boolean | undefined;
  /** What similar lines have in common. If undefined, their words without values. */
  maskOf?: ((line: string) => string | undefined) | undefined;
  /** The part of a line that may report an error. The whole line if absent. */
  claimOf?: ((line: string) => string) | undefined;
  /** A line without its time and host, for comparing lines. The whole line if absent. */
  bodyOf?: ((line: string) => string) | undefined;
  /** A line without the prefix that all lines share, for small budgets. */
  briefOf?: ((line: string) => string) | undefined;
  /** What precedes the message of a brief line, such as its level and its program. */
  sourceOf?: ((brief: string) => string) | undefined;
}
