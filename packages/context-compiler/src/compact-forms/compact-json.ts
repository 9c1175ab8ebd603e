import type { TokenCounter } from "@ccl/core";
import { isRecord } from "@ccl/core/json";
import { truncateMiddle } from "@ccl/core";

import { layoutTable, type TableRow } from "./layout-table.ts";
import { parseExactly } from "./parse-exactly.ts";
import { rankValue } from "./value-rank.ts";

/** How much of a value the compact form shows; each step of `steps` shows less than the one before. */
export interface CompactDetail {
  maxStringChars: number;
  maxRows: number;
  /** Scalars ranked lower are left out. */
  minRank: number;
}

const steps: readonly CompactDetail[] = [
  { maxStringChars: Infinity, maxRows: Infinity, minRank: 0 },
  { maxStringChars: 160, maxRows: Infinity, minRank: 0 },
  { maxStringChars: 80, maxRows: Infinity, minRank: 1 },
  { maxStringChars: 48, maxRows: 24, minRank: 1 },
  { maxStringChars: 48, maxRows: 12, minRank: 2 },
  { maxStringChars: 32, maxRows: 6, minRank: 2 },
  { maxStringChars: 32, maxRows: 3, minRank: 3 },
];

/** The text of a compact form and whether anything of the value is missing in it. */
export interface CompactForm {
  text: string;
  isComplete: boolean;
}

/** Limits of a compact form. */
export interface CompactJsonOptions {
  counter: TokenCounter;
  /** The form never counts more; without it everything is shown. */
  maxTokens?: number | undefined;
}

/**
 * JSON as lines of `key=value` and tables (keys once, rows of scalars, identifiers first). Complete unless `maxTokens`
 * is too small: then long strings, low values and rows go first, each marked. Undefined for text that is no JSON
 * object or array.
 */
export function compactJson(
  json: string,
  { counter, maxTokens = Infinity }: CompactJsonOptions,
): CompactForm | undefined {
  const value = parseContainer(json);
  if (value === undefined) return undefined;
  try {
    for (const [index, detail] of steps.entries()) {
      const text = renderValue(value, detail);
      if (maxTokens === Infinity || counter.count(text) <= maxTokens)
        return { text, isComplete: index === 0 };
    }
    const last = renderValue(
      value,
      steps[steps.length - 1] ?? { maxStringChars: 32, maxRows: 3, minRank: 3 },
    );
    return { text: truncateMiddle(last, { maxTokens, counter }).text, isComplete: false };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parseContainer(json: string): object | undefined {
  const first = /^\s*([[{])/.exec(json)?.[1];
  if (first === undefined) return undefined;
  try {
    const value = parseExactly(json);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Deeper values are written as JSON in one piece. */
const maxDepth = 8;

function renderValue(value: object, detail: CompactDetail): string {
  return renderBlock("", value, { detail, depth: 0 }).join("\n");
}

interface Place {
  detail: CompactDetail;
  depth: number;
}

function renderBlock(name: string, value: object, place: Place): string[] {
  if (place.depth > maxDepth) return [`${name}=${clip(JSON.stringify(value), place.detail)}`];
  const entries = Array.isArray(value) ? [] : Object.entries(value);
  const rows = Array.isArray(value) ? listedRows(value) : keyedRows(entries);
  if (rows !== undefined)
    return layoutTable(name, rows, {
      detail: place.detail,
      textOf: (cell) => cellText(cell, place.detail),
    });
  return Array.isArray(value) ? renderList(name, value, place) : renderObject(name, entries, place);
}

function renderObject(name: string, entries: [string, unknown][], place: Place): string[] {
  const { detail } = place;
  const plain = entries.filter(([, member]) => isInline(member));
  const ranked = plain
    .map(([key, member]) => ({
      key,
      member,
      rank: Array.isArray(member) ? 3 : rankValue(key, member),
    }))
    .filter(({ rank }) => rank >= detail.minRank)
    .sort((a, b) => Number(b.rank === 3) - Number(a.rank === 3));
  const hidden = plain.length - ranked.length;
  const pairs = ranked.map(({ key, member }) => `${key}=${inlineText(member, detail)}`);
  if (hidden > 0) pairs.push(`(${hidden} more)`);
  const line = pairs.join("; ");
  const lines = pairs.length === 0 ? [] : [name === "" ? line : `${name}: ${line}`];
  if (lines.length === 0 && name !== "" && entries.length > 0) lines.push(`${name}:`);
  for (const [key, member] of entries) {
    if (typeof member === "object" && member !== null && !isInline(member)) {
      lines.push(
        ...renderBlock(name === "" ? key : `${name}.${key}`, member, {
          detail,
          depth: place.depth + 1,
        }),
      );
    }
  }
  return lines;
}

function renderList(name: string, list: unknown[], place: Place): string[] {
  const { detail } = place;
  if (list.every((item) => typeof item !== "object" || item === null))
    return [`${name}=${inlineText(list, detail)}`];
  const shown = list.slice(0, detail.maxRows);
  const lines = shown.flatMap((item, index) => {
    const label = `${name}[${index}]`;
    return typeof item === "object" && item !== null
      ? renderBlock(label, item, { detail, depth: place.depth + 1 })
      : [`${label}=${cellText(item, detail)}`];
  });
  return shown.length < list.length
    ? [...lines, `(${list.length - shown.length} more in ${name || "the list"})`]
    : lines;
}

/** Rows of a list of objects, or of a list of lists of objects (with a group column). */
function listedRows(list: unknown[]): TableRow[] | undefined {
  if (list.length < 2) return undefined;
  const isGrouped = Array.isArray(list[0]);
  const groups = isGrouped ? list : [list];
  if (!groups.every(isRecordList)) return undefined;
  const rows = groups.flatMap((group, index) =>
    group.map((row) => ({ label: isGrouped ? String(index + 1) : undefined, cells: flatten(row) })),
  );
  return areAlike(rows, 0.1) ? rows : undefined;
}

/** Rows of an object of like objects. */
function keyedRows(entries: [string, unknown][]): TableRow[] | undefined {
  if (entries.length < 2) return undefined;
  const rows: TableRow[] = [];
  for (const [label, row] of entries) {
    if (!isRecord(row)) return undefined;
    rows.push({ label, cells: flatten(row) });
  }
  return areAlike(rows, 0.6) ? rows : undefined;
}

/** True when at least this share of a table's cells is filled, so that a table is not much larger than what it shows. */
function areAlike(rows: TableRow[], share: number): boolean {
  const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  const filled = rows.reduce((sum, { cells }) => sum + cells.size, 0);
  return filled >= share * columns.size * rows.length;
}

function flatten(row: Record<string, unknown>): Map<string, unknown> {
  const cells = new Map<string, unknown>();
  const visit = (path: string, value: unknown, depth: number): void => {
    if (depth < 3 && isRecord(value) && Object.keys(value).length > 0) {
      for (const [key, member] of Object.entries(value))
        visit(path === "" ? key : `${path}.${key}`, member, depth + 1);
    } else {
      cells.set(path, value);
    }
  };
  visit("", row, 0);
  return cells;
}

function isRecordList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/** Scalars and lists of scalars stand on the line of their object. */
function isInline(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== "object" || item === null);
  return !isRecord(value) || Object.keys(value).length === 0;
}

function inlineText(value: unknown, detail: CompactDetail): string {
  if (!Array.isArray(value)) return cellText(value, detail);
  const limit = detail.maxRows === Infinity ? Infinity : detail.maxRows * 4;
  const shown = value.slice(0, limit).map((item) => cellText(item, detail));
  if (shown.length < value.length) shown.push(`(${value.length - shown.length} more)`);
  return `[${shown.join(", ")}]`;
}

/** One scalar, unquoted unless it would be misread; deeper values as JSON. */
function cellText(value: unknown, detail: CompactDetail): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return clip(JSON.stringify(value), detail);
  const text = clip(value, detail);
  return /[\n\r|;]|^\s|\s$|^$|^(?:true|false|null)$/.test(text) ? JSON.stringify(text) : text;
}

function clip(text: string, { maxStringChars }: CompactDetail): string {
  return text.length <= maxStringChars
    ? text
    : truncateMiddle(text, { maxChars: maxStringChars, marker: () => "[...]" }).text;
}
