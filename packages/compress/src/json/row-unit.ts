import type { Unit } from "../unit.ts";

/**
 * Returns the cells of a row by its number, counted from 0. Every row has the same number of cells.
 */
export type RowReader = (row: number) => readonly unknown[];

/** The table of a row: the place of its head, and how its cells are read and rendered. */
interface RowTable {
  head: number;
  read: RowReader;
  textOf?: (value: unknown) => string;
}

/**
 * A row of a table. It is read and rendered on demand, because only a few rows of a large table are
 * shown.
 */
export class RowUnit implements Unit {
  /** Rows of JSON are numbered once all of them are known. */
  from: number;
  to: number;
  readonly weight = 0.05;
  head: number;
  readonly #row: number;
  readonly #read: RowReader;
  readonly #textOf: (value: unknown) => string;

  constructor(row: number, { head, read, textOf = cellText }: RowTable) {
    this.from = row + 1;
    this.to = row + 1;
    this.head = head;
    this.#row = row;
    this.#read = read;
    this.#textOf = textOf;
  }

  get values(): readonly unknown[] {
    return this.#read(this.#row);
  }

  get cells(): readonly string[] {
    return this.values.map(this.#textOf);
  }

  get text(): string {
    return this.cells.join("|");
  }
}

/**
 * Matches a string that cannot be mistaken for a list, an object, a quoted string or another value,
 * and that cannot end its cell early.
 */
const plainCell = /^(?!(?:true|false|null)$|[[{"])[^\s|;](?:[^\n\r|;]*[^\s|;])?$/;

/** Precedes the digits of a number that is stored as a string. Never shown. */
export const exactMark = "\uE000";
const exact = new RegExp(`"${exactMark}([^"]*)"`, "g");
/** Matches a string that looks like a number. */
const numeric = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Renders a cell of a table that contains only strings. */
export function plainText(text: string): string {
  return plainCell.test(text) ? text : JSON.stringify(text);
}

/**
 * Renders one value. A string is quoted only if it could be mistaken for another value. Nested
 * values are written as JSON.
 */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value).replace(exact, "$1");
  if (value.startsWith(exactMark)) return value.slice(1);
  return numeric.test(value) ? JSON.stringify(value) : plainText(value);
}

/** Renders a value for searching and comparing. */
export function valueText(value: unknown): string {
  if (typeof value !== "string") return cellText(value);
  return value.startsWith(exactMark) ? value.slice(1) : value;
}
