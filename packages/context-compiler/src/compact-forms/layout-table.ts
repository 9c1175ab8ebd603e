import type { CompactDetail } from "./compact-json.ts";
import { rankValue } from "./value-rank.ts";

/** One row: a label (its key or its group) and its cells by column. */
export interface TableRow {
  label: string | undefined;
  cells: Map<string, unknown>;
}

/**
 * A header line and a line for each row, columns of identifiers first; columns with one value in all rows stand once,
 * in the header. Rows beyond the detail's limit leave their identifiers.
 */
export function layoutTable(
  name: string,
  rows: readonly TableRow[],
  { detail, textOf }: { detail: CompactDetail; textOf: (cell: unknown) => string },
): string[] {
  const columns = rankColumns(rows);
  const labelColumn = columns.find(({ key }) =>
    rows.every(({ label, cells }) => label === cells.get(key)),
  );
  const shown = columns.filter((column) => column.rank >= detail.minRank);
  const hidden = columns.length - shown.length;
  const isConstant = ({ key }: Column): boolean => {
    const first = textOf(rows[0]?.cells.get(key));
    return rows.every(({ cells }) => cells.has(key) && textOf(cells.get(key)) === first);
  };
  const constant = new Set(shown.filter(isConstant));
  const varying = shown.filter((column) => !constant.has(column) && column !== labelColumn);
  const hasLabel = rows.some(({ label }) => label !== undefined);
  const header = [
    ...(hasLabel ? [labelColumn?.key ?? "#"] : []),
    ...varying.map(({ key }) => key),
  ].join("|");
  const common = [...constant]
    .map(({ key }) => `${key}=${textOf(rows[0]?.cells.get(key))}`)
    .join("; ");
  const lines = [
    `${name === "" ? "" : `${name}: `}${rows.length} rows${common === "" ? "" : `, all ${common}`}${hidden > 0 ? ` (${hidden} columns left out)` : ""}`,
  ];
  if (header !== "") lines.push(header);
  const lineOf = ({ label, cells }: TableRow): string =>
    [
      ...(hasLabel ? [textOf(label)] : []),
      ...varying.map(({ key }) => textOf(cells.get(key))),
    ].join("|");
  if (header !== "") lines.push(...rows.slice(0, detail.maxRows).map(lineOf));
  const rest = rows.slice(detail.maxRows);
  if (rest.length > 0) lines.push(restLine(rest, varying, textOf));
  return lines;
}

interface Column {
  key: string;
  rank: number;
}

function rankColumns(rows: readonly TableRow[]): Column[] {
  const ranks = new Map<string, number>();
  for (const { cells } of rows) {
    for (const [key, value] of cells) {
      const rank = typeof value === "object" && value !== null ? 1 : rankValue(key, value);
      ranks.set(key, Math.max(ranks.get(key) ?? 0, rank));
    }
  }
  const columns = [...ranks].map(([key, rank]) => ({ key, rank }));
  return columns.sort((a, b) => Number(b.rank === 3) - Number(a.rank === 3));
}

function restLine(
  rest: readonly TableRow[],
  columns: readonly Column[],
  textOf: (cell: unknown) => string,
): string {
  const identifier = columns.find(({ rank }) => rank === 3)?.key;
  const ids = rest.map(
    ({ label, cells }) => label ?? (identifier === undefined ? "" : textOf(cells.get(identifier))),
  );
  const named = ids.filter((id) => id !== "").slice(0, 60);
  return `(${rest.length} more rows${named.length > 0 ? `: ${named.join(", ")}` : ""})`;
}
