import { printable } from "./printable.ts";
import type { Style } from "./style.ts";

/** One column of a table. */
export interface Column {
  title: string;
  align?: "left" | "right" | undefined;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Aligned with a header on a terminal; elsewhere one line a row, tabs between the cells, no header. Ends with a line feed. */
export function renderTable(columns: Column[], rows: string[][], style: Style): string {
  const cells = rows.map((row) => row.map(printable));
  if (!style.isTerminal) return cells.map((row) => `${row.join("\t")}\n`).join("");
  const widths = columns.map((column, index) =>
    cells.reduce(
      (widest, row) => Math.max(widest, displayWidth(row[index] ?? "")),
      displayWidth(column.title),
    ),
  );
  const line = (row: string[]): string =>
    row
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align ?? "left"))
      .join("  ")
      .trimEnd();
  const header = style.colours.dim(line(columns.map((column) => column.title)));
  return `${[header, ...cells.map(line)].join("\n")}\n`;
}

/** Columns that a text takes on a terminal. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

function pad(cell: string, width: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(cell)));
  return align === "right" ? space + cell : cell + space;
}
