import { isRecord, type JsonRecord } from "@ccl/core/json";

import { plainWords, readItems, readSections } from "./markdown-sections.ts";
import { type StructuredText } from "./structured-text.ts";

/** One row of an option matrix. */
export interface Option {
  id: string;
  summary: string;
  /** Ids of the options that this one rules out. */
  excludes: string[];
}

/** Maximum number of rows to read from a table. */
const maxRows = 5_000;

const idNames = "id|key|code|option|вариант|опция|№".split("|");
const summaryNames = "summary|title|description|name|text|label|описание|суть|название".split("|");
const excludesNames =
  "excludes|exclude|conflicts|conflicts with|conflictswith|incompatible|incompatible with|incompatiblewith|incompatibilities"
    .split("|")
    .concat("исключает|несовместимо|несовместим с|несовместимо с|конфликты".split("|"));

/**
 * Reads an option matrix from JSON, YAML, or a Markdown table, list or headings. Returns undefined
 * if any row lacks an id or a summary.
 */
export function readOptions({ path, text, value: parse }: StructuredText): Option[] | undefined {
  const value = parse();
  const isData = /\.(?:json[5c]?|ya?ml)$/i.test(path);
  const options = value !== undefined ? readValue(value) : isData ? undefined : readMarkdown(text);
  return options !== undefined && options.length > 0 ? options : undefined;
}

function readValue(value: unknown): Option[] | undefined {
  if (isRecord(value)) {
    const nested = value["options"] ?? value["variants"] ?? value["alternatives"];
    if (nested !== undefined) return readValue(nested);
    const rows = Object.entries(value).map(([id, item]) =>
      readRow(isRecord(item) ? { id, ...item } : { id, summary: item }),
    );
    return Object.keys(value).every((id) => /^[A-ZА-Я]{1,4}-?\d{1,3}[a-z]?$/.test(id))
      ? complete(rows)
      : undefined;
  }
  return Array.isArray(value)
    ? complete(value.map((item: unknown) => (isRecord(item) ? readRow(item) : undefined)))
    : undefined;
}

function complete(rows: (Option | undefined)[]): Option[] | undefined {
  const options = rows.filter((row) => row !== undefined);
  return options.length === rows.length ? options : undefined;
}

function readRow(row: JsonRecord): Option | undefined {
  const fields = new Map(
    Object.entries(row).map(([name, item]) => [
      name.toLowerCase().replaceAll("_", " ").trim(),
      item,
    ]),
  );
  const find = (names: readonly string[]): unknown =>
    fields.get(names.find((name) => fields.has(name)) ?? "");
  const id = find(idNames) ?? find(["name"]);
  const summary = find(summaryNames);
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  if (typeof summary !== "string" || summary === "") return undefined;
  return { id: String(id), summary: plainWords(summary), excludes: readList(find(excludesNames)) };
}

function readList(value: unknown): string[] {
  const items = Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  const parts = typeof value === "string" ? value.split(/[,;]\s*|\s+/) : items;
  return parts.filter((part) => /[\p{L}\p{N}]/u.test(part));
}

function readMarkdown(text: string): Option[] | undefined {
  const sections = readSections(text);
  const lines = sections.flatMap((section) => section.lines);
  const inTable = readTable(lines.filter((line) => line.trimStart().startsWith("|")));
  if (inTable !== undefined) return inTable;
  const inHeadings = sections.flatMap(
    ({ heading, lines }) => readSentence(heading, readItems(lines)[0]) ?? [],
  );
  if (inHeadings.length > 1) return inHeadings;
  const inList = readItems(lines).flatMap((item) => readSentence(item) ?? []);
  return inList.length > 1 ? inList : undefined;
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map(plainWords);

/** Reads the rows of the first table whose columns are recognized. */
function readTable(lines: readonly string[]): Option[] | undefined {
  const [head, rule, ...body] = lines;
  if (head === undefined || rule === undefined || !/^[\s|:-]+$/.test(rule)) return undefined;
  const names = cellsOf(head);
  const rows = body.slice(0, maxRows).map((line) => {
    const cells = cellsOf(line);
    return readRow(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""])));
  });
  return complete(rows);
}

/**
 * Parses an option from `O1: text; excludes O3`, `Option 1 - text` or `Вариант 1. text`. The text
 * may also be below a heading.
 */
function readSentence(sentence: string, below = ""): Option | undefined {
  const found =
    /^((?:option|variant|вариант|опция)\s+[\p{L}\p{N}]{1,4}|[A-ZА-Я]{1,3}-?\d{1,3}[a-z]?)\s*(?:[:.)\]–—-]\s*(.*))?$/iu.exec(
      sentence,
    );
  if (found?.[1] === undefined) return undefined;
  const description = found[2] === undefined || found[2] === "" ? below : found[2];
  const [summary = "", excludes = ""] = description.split(
    /[;,.]?\s*\(?(?:excludes|conflicts with|incompatible with|исключает|несовместим[оа]? с)\s+/i,
  );
  if (summary === "") return undefined;
  return { id: found[1], summary, excludes: readList(excludes.replace(/[).]+$/, "")) };
}
