/**
 * A piece of content that is shown or left out as a whole: a line, a row of a table, or a group of
 * `key=value` pairs.
 */
export interface Unit {
  /** The text to show. */
  readonly text: string;
  /** Cells of a row, as shown. Each can be shortened separately. */
  readonly cells?: readonly string[] | undefined;
  /** The values in the cells of a row. */
  readonly values?: readonly unknown[] | undefined;
  /** Lines or rows of the content that the unit covers, counted from 1, both ends included. */
  from: number;
  to: number;
  /** True for the column names of a table, which are shown only together with rows. */
  isHeader?: boolean | undefined;
  /**
   * Place of the unit that this unit needs for context: the name of its table, the file of a hunk,
   * its heading.
   */
  head?: number | undefined;
  /**
   * Number of units below this one. Set if this unit is a head that states how many of them are
   * shown.
   */
  members?: number | undefined;
  /** Weight from the unit's place and kind. Usually 0. */
  weight: number;
}

/** Precedes the column names, above the row numbers. */
export const headerLabel = "row";

/** True for the name of a table and the names of its columns. */
export function isTitle({ isHeader, members }: Unit): boolean {
  return isHeader === true || members !== undefined;
}

/** What unit numbers count. */
export type Numbering = "lines" | "rows";

/** Used as `claimOf` for content in which words about errors do not mean that an error happened. */
export const noClaim = (): string => "";

/** Units in order, like an array. A negative place counts from the end. */
export interface Units {
  readonly length: number;
  at(place: number): Unit | undefined;
}

/** All units joined into one string. A search in it shows which few units need a closer look. */
export interface JoinedTexts {
  text: string;
  /** Offset at which each unit ends. */
  ends: Uint32Array;
}

/** Creates a unit for each line, numbered from 1. */
export function lineUnits(lines: readonly string[]): Unit[] {
  return lines.map((text, at) => ({ text, from: at + 1, to: at + 1, weight: 0 }));
}

/** Lists all units. */
export function listUnits(units: Units): Unit[] {
  const all = Array.from({ length: units.length }, (_, at) => units.at(at));
  return all.filter((unit) => unit !== undefined);
}

/** Content that was split into units. */
export interface Layout {
  units: Units;
  /**
   * Where numbers appear: on everything that is shown, on rows of tables only, or in a separate
   * line for each gap.
   */
  style: "numbered" | "table" | "gaps";
  noun: Numbering;
  /** Number of units on each side of an important unit that are worth showing too. */
  context: number;
  /** True if similar lines are shown once, with their number. */
  hasForms: boolean;
  /** True if rare values among similar lines matter. */
  hasValues?: boolean | undefined;
  /**
   * Returns the part that similar lines share. If it is absent or returns undefined, their words
   * without values are compared.
   */
  maskOf?: ((line: string) => string | undefined) | undefined;
  /** Returns the part of a line that may report an error. By default the whole line. */
  claimOf?: ((line: string) => string) | undefined;
  /** Returns a line without its time and host, for comparing lines. By default the whole line. */
  bodyOf?: ((line: string) => string) | undefined;
  /** Returns a line without the prefix that all lines share, for small budgets. */
  briefOf?: ((line: string) => string) | undefined;
  /** Returns the text before the message of a brief line, such as its level and program. */
  sourceOf?: ((brief: string) => string) | undefined;
}
