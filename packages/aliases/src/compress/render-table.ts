type Cell = string | number | boolean | null;

/** A bare cell means itself as a string unless it reads as another value, so such strings and those with marks of the table are quoted. */
const needsQuotes =
  /^$|^\s|\s$|^["[{]|[|\n\r\u2028\u2029]|^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * A list of at least two flat objects with the same keys in the same order, as a header and a line each, cells parted by
 * `|`. A cell is a JSON value or, where that is not ambiguous, a string without its quotes. Undefined for anything else.
 */
export function renderTable(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const rows = value.map((item: unknown) => readRow(item));
  const [first] = rows;
  const header = first?.map(([key]) => key) ?? [];
  if (header.length === 0) return undefined;
  const lines = [header.map(renderCell).join("|")];
  for (const row of rows) {
    const isUniform =
      row !== undefined &&
      row.length === header.length &&
      row.every(([key], index) => key === header[index]);
    if (!isUniform) return undefined;
    lines.push(row.map(([, cell]) => renderCell(cell)).join("|"));
  }
  return lines.join("\n");
}

function readRow(item: unknown): [string, Cell][] | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
  const cells: [string, Cell][] = [];
  for (const [key, value] of Object.entries(item)) {
    if (!isCell(value)) return undefined;
    cells.push([key, value]);
  }
  return cells;
}

function isCell(value: unknown): value is Cell {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    isPlainNumber(value)
  );
}

const isPlainNumber = (value: unknown): boolean => Number.isFinite(value) && !Object.is(value, -0);

const renderCell = (cell: Cell): string =>
  typeof cell === "string" && !needsQuotes.test(cell)
    ? cell
    : JSON.stringify(cell).replaceAll("|", "\\u007c");
