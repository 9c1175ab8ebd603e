import type { Unit } from "../unit.ts";

/** Returns the cells of a row by its number from 0. Every row has the same number of cells. */
export type RowReader = (row: number) => readonly unknown[];

/** A row of a table. It is read and rendered on demand, because only few rows of a large table are shown. */
export class RowUnit implements Unit {
  /** Rows of JSON are numbered once all of them are known. */
  from: number;
  to: number;
  readonly weight = 0.05;
  head: number;
  readonly #row: number;
  readonly #read: RowReader;

  constructor(row: number, { head, read }: { head: number; read: RowReader }) {
    this.from = row + 1;
    this.to = row + 1;
    this.head = head;
    this.#row = row;
    this.#read = read;
  }

  get values(): readonly unknown[] {
    return this.#read(this.#row);
  }

  get cells(): readonly string[] {
    return this.values.map(cellText);
  }

  get text(): string {
    return this.cells.join("|");
  }
}

/** Matches a text that cannot be read as a list, an object, a quoted text or another value, and cannot end its cell early. */
const plainCell = /^(?!(?:true|false|null)$|[[{"])[^\s|;](?:[^\n\r|;]*[^\s|;])?$/;

/** Renders one scalar, quoted only if it would be ambiguous. Deeper values are written as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return plainCell.test(value) ? value : JSON.stringify(value);
}

/** Renders a value for searching and comparing. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value === undefined ? "" : JSON.stringify(value);
}
