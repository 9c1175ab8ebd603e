import { printable } from "./printable.ts";
import type { Style } from "./style.ts";

/** The title of a column. `right` aligns numbers. */
export type Column = string | { right: string };

/** The cells of a table, by row. */
type Rows = readonly (readonly (string | number)[])[];

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * Aligned columns with a header on a terminal. Elsewhere one line per row with tabs between the cells and no header.
 * Ends with a line feed.
 */
export function renderTable(columns: readonly Column[], rows: Rows, style: Style): string {
  const cells = rows.map((row) => row.map((cell) => printable(String(cell))));
  if (!style.isTerminal) return cells.map((row) => `${row.join("\t")}\n`).join("");
  const titles = columns.map((column) => (typeof column === "string" ? column : column.right));
  const widths = titles.map((title, index) =>
    Math.max(...[title, ...cells.map((row) => row[index] ?? "")].map(displayWidth)),
  );
  const line = (row: string[]): string =>
    row
      .map((cell, index) => {
        const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell)));
        return typeof columns[index] === "object" ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd();
  return `${[style.colours.dim(line(titles)), ...cells.map(line)].join("\n")}\n`;
}

/** The table as a command's text, or `whenEmpty` if it has no rows. */
export function tableOf(
  columns: readonly Column[],
  rows: Rows,
  whenEmpty?: string,
): (style: Style) => string {
  return (style) =>
    rows.length === 0 && whenEmpty !== undefined ? whenEmpty : renderTable(columns, rows, style);
}

/** The width of a text in terminal columns. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
