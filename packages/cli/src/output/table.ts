import { printable } from "./text.ts";
import type { Style } from "./style.ts";

/** The title of a column; `right` aligns numbers. */
export type Column = string | { right: string };

/** The cells of a table, by row. */
type Rows = readonly (readonly (string | number)[])[];

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * Renders a table. On a terminal, it has a header, aligned columns and the terminal's width, with "…" where text was
 * cut. Elsewhere, one line per row with tabs between cells and no header. Ends with a line feed.
 */
export function renderTable(columns: readonly Column[], rows: Rows, style: Style): string {
  const cells = rows.map((row) => row.map((cell) => printable(String(cell))));
  if (!style.isTerminal) return cells.map((row) => `${row.join("\t")}\n`).join("");
  const titles = columns.map((column) => (typeof column === "string" ? column : column.right));
  const wanted = titles.map((title, index) =>
    Math.max(...[title, ...cells.map((row) => row[index] ?? "")].map(displayWidth)),
  );
  const widths = fitWidths(wanted, columns, style.width);
  const line = (row: string[]): string =>
    row
      .map((text, index) => {
        const cell = fit(text, widths[index] ?? 0);
        const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell)));
        return typeof columns[index] === "object" ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd();
  return `${[style.colours.dim(line(titles)), ...cells.map(line)].join("\n")}\n`;
}

const narrowest = 8;

/** Limits the widths of text columns so that a line fits. The first column identifies its row, so it is never cut. */
function fitWidths(widths: number[], columns: readonly Column[], width: number): number[] {
  for (let cap = Math.max(...widths); ; cap -= 1) {
    const fitted = widths.map((one, at) =>
      at > 0 && typeof columns[at] === "string" ? Math.min(one, cap) : one,
    );
    const total = fitted.reduce((sum, one) => sum + one + 2, -2);
    if (total <= width || cap <= narrowest) return fitted;
  }
}

function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const shown = [...text].slice(0, width);
  while (displayWidth(shown.join("")) >= width) shown.pop();
  return `${shown.join("")}…`;
}

/** Renders a table as the text of a command. Without rows, `whenEmpty` replaces it. */
export function tableOf(
  columns: readonly Column[],
  rows: Rows,
  whenEmpty?: string,
): (style: Style) => string {
  return (style) =>
    rows.length === 0 && whenEmpty !== undefined ? whenEmpty : renderTable(columns, rows, style);
}

/** Returns the number of terminal columns that a string takes. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
