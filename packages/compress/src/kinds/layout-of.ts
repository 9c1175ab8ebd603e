import { findJson } from "../json/find-json.ts";
import { jsonUnits } from "../json/json-units.ts";
import type { Layout, Unit } from "../unit.ts";
import { delimitedUnits } from "./delimited.ts";
import type { ContentKind } from "./detect-kind.ts";
import { lineLayout } from "./line-units.ts";
import { readHtml } from "./read-html.ts";

/** A text of a kind in units. JSON that does not parse is read by lines. */
export function layoutOf(
  text: string,
  kind: ContentKind,
  toText: (html: string) => string = readHtml,
): Layout {
  const table = { style: "numbered", noun: "rows", context: 0, hasForms: false } as const;
  if (kind === "delimited") return { ...table, units: delimitedUnits(text) };
  if (kind === "json") {
    const found = findJson(text);
    const units = found === undefined ? undefined : jsonUnits(found.json);
    if (found !== undefined && units !== undefined) {
      const frame = (words: string): Unit[] =>
        words === "" ? [] : [{ text: words, from: 1, to: 1, weight: 2 }];
      const lead = frame(found.lead);
      const shifted = units.map((unit) => ({
        ...unit,
        head: unit.head === undefined ? undefined : unit.head + lead.length,
      }));
      return { ...table, units: [...lead, ...shifted, ...frame(found.tail)] };
    }
  }
  return kind === "html" ? lineLayout(toText(text), "text") : lineLayout(text, kind);
}
