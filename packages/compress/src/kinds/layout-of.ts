import { findJson, type FoundJson } from "../json/find-json.ts";
import { jsonUnits, type TableColumns } from "../json/json-units.ts";
import { isTitle, type Layout, type Unit } from "../unit.ts";
import { DelimitedUnits } from "./delimited.ts";
import type { ContentKind } from "./identify.ts";
import { lineLayout } from "./line-layout.ts";

/** Options of `layoutOf`. */
interface LayoutOptions {
  toText?: ((html: string) => string) | undefined;
  columns?: TableColumns | undefined;
  /** The number of the first line if the text is part of a longer one. 1 by default. */
  firstLine?: number | undefined;
  /** The JSON of the text, if it was parsed to find the kind. */
  json?: FoundJson | undefined;
}

/** Splits content of a known kind into units. JSON that does not parse is read line by line. */
export function layoutOf(
  text: string,
  kind: ContentKind,
  { toText = readHtml, columns, firstLine, json: found }: LayoutOptions = {},
): Layout {
  if (kind === "delimited") return { ...table, units: new DelimitedUnits(text, columns) };
  const json = kind === "json" ? framedJson(found ?? findJson(text), columns) : undefined;
  if (json !== undefined) return tableLayout(json);
  return kind === "html"
    ? { ...lineLayout(toText(text), "text"), noun: "rows" }
    : lineLayout(text, kind, firstLine);
}

/** Returns the units of JSON and of the text around it. */
function framedJson(
  found: FoundJson | undefined,
  columns: TableColumns | undefined,
): Unit[] | undefined {
  const units = found === undefined ? undefined : jsonUnits(found.value, columns);
  if (found === undefined || units === undefined) return undefined;
  const frame = (words: string): Unit[] =>
    words === "" ? [] : [{ text: words, from: 1, to: 1, weight: 2 }];
  const lead = frame(found.lead);
  for (const unit of units) if (unit.head !== undefined) unit.head += lead.length;
  return [...lead, ...units, ...frame(found.tail)];
}

/** Numbers all units except titles, consecutively across all tables. */
function tableLayout(units: Unit[]): Layout {
  let number = 0;
  for (const unit of units) {
    const rowNumber = isTitle(unit) ? number + 1 : (number += 1);
    unit.from = rowNumber;
    unit.to = rowNumber;
  }
  return { ...table, units };
}

const table: Omit<Layout, "units"> = { style: "table", noun: "rows", context: 0, hasForms: false };

const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/**
 * Reads the text of a page, with one block per line and cells between bars. For more than that,
 * pass another converter to `compress`.
 */
function readHtml(html: string): string {
  return html
    .replace(/<!--[^]*?(?:-->|$)/g, "")
    .replace(/<(script|style|svg|noscript|template)\b[^>]*>[^]*?(?:<\/\1\s*>|$)/gi, "")
    .replace(/\s+/g, " ")
    .replace(/<h([1-6])\b[^>]*>/gi, (_, level: string) => `\n${"#".repeat(Number(level))} `)
    .replace(/<\/t[dh]>\s*(?=<t[dh]\b)/gi, " | ")
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(
      /<(?:br|\/?(?:p|div|section|article|header|footer|nav|main|ul|ol|table|tr|h[1-6]|pre|blockquote|title|form|dl|dt|dd))\b[^>]*>/gi,
      "\n",
    )
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi, (all, decimal, hex, name) =>
      decodeEntity(all, decimal, hex, name),
    )
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "-")
    .join("\n");
}

function decodeEntity(all: string, decimal?: string, hex?: string, name?: string): string {
  const code =
    decimal === undefined
      ? hex === undefined
        ? undefined
        : Number.parseInt(hex, 16)
      : Number(decimal);
  if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  return entities[name?.toLowerCase() ?? ""] ?? all;
}
