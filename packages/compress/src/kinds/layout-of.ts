import { findJson, type FoundJson } from "../json/find-json.ts";
import { jsonUnits, type TableColumns } from "../json/json-units.ts";
import { isTitle, type Layout, type Unit } from "../unit.ts";
import { DelimitedUnits } from "./delimited.ts";
import type { ContentKind } from "./identify.ts";
import { lineLayout } from "./line-layout.ts";
import { readHtml } from "./read-html.ts";

/** Options of `layoutOf`. */
export interface LayoutOptions {
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
    const own = isTitle(unit) ? number + 1 : (number += 1);
    unit.from = own;
    unit.to = own;
  }
  return { ...table, units };
}

const table: Omit<Layout, "units"> = { style: "table", noun: "rows", context: 0, hasForms: false };
