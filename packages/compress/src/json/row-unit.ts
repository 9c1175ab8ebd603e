import type { Unit } from "../unit.ts";

/** What stands in the cells of each row of a table, by its number from 0; as many cells in each. */
export type RowReader = (row: number) => readonly unknown[];

/** A row of a table. It is read when it is looked at and rendered when it is shown, since of a large table few rows are. */
export class RowUnit implements Unit {
  /** Rows of JSON are numbered when all are known. */
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

/** A text that reads as no list, object, quoted text or other value, and does not end before its cell does. */
const plainCell = /^(?!(?:true|false|null)$|[[{"])[^\s|;](?:[^\n\r|;]*[^\s|;])?$/;

/** One scalar, unquoted unless it would be misread; deeper values as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return plainCell.test(value) ? value : JSON.stringify(value);
}

/** A value as it is searched and compared. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value === undefined ? "" : JSON.stringify(value);
}
