import type { Unit } from "../unit.ts";

/** A row of a table. Its text is rendered when it is shown, since of a large table few rows are. */
export class RowUnit implements Unit {
  /** Rows are numbered when all are known. */
  from = 0;
  to = 0;
  readonly weight = 0.05;
  readonly values: readonly unknown[];
  head: number;

  constructor(values: readonly unknown[], head: number) {
    this.values = values;
    this.head = head;
  }

  get cells(): readonly string[] {
    return this.values.map(cellText);
  }

  get text(): string {
    return this.cells.join("|");
  }
}

/** A text that is no other value, and does not end before its cell does. */
const plainCell = /^(?!(?:true|false|null)$)[^\s|;](?:[^\n\r|;]*[^\s|;])?$/;

/** One scalar, unquoted unless it would be misread; deeper values as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return plainCell.test(value) ? value : JSON.stringify(value);
}

/** A value as it is searched and compared. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
