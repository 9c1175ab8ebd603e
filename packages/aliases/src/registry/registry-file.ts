import { compareCodeUnits } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import { posix } from "node:path";

import { AliasesError } from "../aliases-error.ts";
import { parseAlias, quote } from "./alias-name.ts";

/** The registry's record of one alias. */
export interface RegistryRecord {
  /** Relative to the root, with forward slashes. */
  path: string;
  /** 8 lower-case hex digits. */
  sha8: string;
  /**
   * Absent if the file has none, or if it does not begin with `sha8` because another tool changed
   * `sha8`.
   */
  sha256?: string | undefined;
  /** The JSON fields of the record, including unknown keys. */
  fields: Record<string, unknown>;
  /** True if the record is unchanged from the file. */
  isUnchanged?: true | undefined;
}

/** A parsed registry file. */
export interface RegistryDocument {
  records: Map<string, RegistryRecord>;
  /** Every top-level key, in the file's order. */
  keys: string[];
  /** Called only before writing, because it takes as long as reading the records. */
  readForm: () => RegistryForm;
}

/** The formatting of a registry file. */
interface RegistryForm {
  style: RegistryStyle;
  /** The text of each record. Undefined unless each has its own line. */
  lines: ReadonlyMap<string, string> | undefined;
}

interface RegistryStyle {
  /**
   * `lines`: one record per line, as in the design document. `tree`: indented as by JSON.stringify.
   * `flat`: all on one line.
   */
  layout: "lines" | "tree" | "flat";
  indent: string;
  lineEnd: "\n" | "\r\n";
  hasFinalLineEnd: boolean;
  hasByteOrderMark: boolean;
}

const VERSION_KEYS = new Set(["version", "$version", "schemaVersion"]);
const OWN_STYLE: RegistryStyle = {
  layout: "lines",
  indent: "  ",
  lineEnd: "\n",
  hasFinalLineEnd: true,
  hasByteOrderMark: false,
};

/** The document of a registry that has no file yet. */
export function emptyRegistry(): RegistryDocument {
  return { records: new Map(), keys: [], readForm: () => ({ style: OWN_STYLE, lines: undefined }) };
}

/** Parses the flat format `{"S.entities": {"path", "sha"}}`. Throws registry_corrupt, registry_version_unsupported. */
export function parseRegistry(text: string, file: string): RegistryDocument {
  const hasByteOrderMark = text.startsWith("\uFEFF");
  const body = hasByteOrderMark ? text.slice(1) : text;
  const top = parseBody(body, file);
  if (!isRecord(top)) throw corrupt(file, "it is not a JSON object");
  const records = new Map<string, RegistryRecord>();
  const keys: string[] = [];
  for (const [key, value] of Object.entries(top)) {
    keys.push(key);
    if (VERSION_KEYS.has(key)) checkVersion(key, value, file);
    else records.set(key, readRecord({ alias: key, value, file }));
  }
  const readForm = (): RegistryForm => {
    const lines = recordLines(body, keys);
    return { style: { ...styleOf(body, lines !== undefined), hasByteOrderMark }, lines };
  };
  return { records, keys: [...keys], readForm };
}

/** Renders the document in its original style. Unchanged records keep their lines. */
export function renderRegistry(document: RegistryDocument): string {
  const { style, lines } = document.readForm();
  const entries = orderedKeys(document).map((key) => [key, document.records.get(key)] as const);
  const mark = style.hasByteOrderMark ? "\uFEFF" : "";
  const text =
    style.layout === "lines" ? renderLines(entries, { style, lines }) : renderTree(entries, style);
  return mark + text.replaceAll("\n", style.lineEnd) + (style.hasFinalLineEnd ? style.lineEnd : "");
}

function orderedKeys({ keys, records }: RegistryDocument): string[] {
  const known = new Set(keys);
  const kept = keys.filter((key) => records.has(key) || VERSION_KEYS.has(key));
  const added = [...records.keys()].filter((key) => !known.has(key));
  const wasSorted = keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") <= key);
  return wasSorted
    ? [...kept, ...added].sort(compareCodeUnits)
    : [...kept, ...added.sort(compareCodeUnits)];
}

type RenderedEntry = readonly [key: string, record: RegistryRecord | undefined];

function renderLines(entries: readonly RenderedEntry[], { style, lines }: RegistryForm): string {
  const rendered = entries.map(
    ([key, record]) =>
      (record?.isUnchanged && lines?.get(key)) ||
      `${style.indent}${JSON.stringify(key)}: ${JSON.stringify(fieldsOf(record))}`,
  );
  return rendered.length === 0 ? "{}" : `{\n${rendered.join(",\n")}\n}`;
}

function renderTree(entries: readonly RenderedEntry[], { layout, indent }: RegistryStyle): string {
  const value = Object.fromEntries(entries.map(([key, record]) => [key, fieldsOf(record)]));
  return layout === "flat" ? JSON.stringify(value) : JSON.stringify(value, null, indent);
}

/** The JSON of a key. A key without a record is a version key, and the only version is 1. */
function fieldsOf(record: RegistryRecord | undefined): unknown {
  return record === undefined ? 1 : record.fields;
}

/** Gives a record new content or a new path. Unknown keys stay. */
export function changeRecord(
  record: RegistryRecord | undefined,
  change: { path: string; sha256: string },
): RegistryRecord {
  const sha8 = change.sha256.slice(0, 8);
  const fields = { ...record?.fields, path: change.path, sha: sha8, sha256: change.sha256 };
  return { path: change.path, sha8, sha256: change.sha256, fields };
}

function readRecord(input: { alias: string; value: unknown; file: string }): RegistryRecord {
  const { alias, value, file } = input;
  const parsed = parseAlias(alias);
  if (!parsed.ok || parsed.value.sha8 !== undefined)
    throw corrupt(file, `${quote(alias)} is not an alias`);
  if (!isRecord(value)) throw corrupt(file, `${alias} is not an object with "path" and "sha"`);
  const { path, sha, sha256 } = value;
  const inside = typeof path === "string" ? normalizeInsidePath(path) : undefined;
  if (inside === undefined)
    throw corrupt(file, `the "path" of ${alias} is not a relative path inside the root`);
  if (typeof sha !== "string" || !/^[0-9a-f]{8}$/i.test(sha)) {
    throw corrupt(file, `the "sha" of ${alias} is not 8 hex digits`);
  }
  if (sha256 !== undefined && (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256))) {
    throw corrupt(file, `the "sha256" of ${alias} is not 64 hex digits`);
  }
  const sha8 = sha.toLowerCase();
  const full = sha256?.toLowerCase();
  return {
    path: inside,
    sha8,
    fields: value,
    isUnchanged: true,
    sha256: full?.startsWith(sha8) ? full : undefined,
  };
}

/**
 * Normalizes to forward slashes without `.` and `..`. Undefined if the path is empty, absolute, or
 * leads out.
 */
export function normalizeInsidePath(path: string): string | undefined {
  const slashed = posix.normalize(path.replaceAll("\\", "/"));
  const isOutside =
    slashed.startsWith("/") ||
    slashed === ".." ||
    slashed.startsWith("../") ||
    /^[A-Za-z]:/.test(slashed);
  if (path === "" || isOutside || slashed === "." || slashed.endsWith("/") || path.includes("\0"))
    return undefined;
  return slashed;
}

function checkVersion(key: string, value: unknown, file: string): void {
  if (value === 1) return;
  if (typeof value !== "number" && typeof value !== "string")
    throw corrupt(file, `"${key}" is not a version number`);
  throw new AliasesError(
    "registry_version_unsupported",
    `${file} has "${key}" ${quote(String(value))}; this version of CCL reads version 1. Use the version of CCL that wrote it.`,
  );
}

function parseBody(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    throw corrupt(file, `it is not JSON${positionText(text, position)}`, error);
  }
}

/**
 * Where the text stops being JSON: the engine's position, otherwise the first line that is not a
 * JSON record.
 */
function positionText(text: string, position: string | undefined): string {
  if (position !== undefined) {
    const before = text.slice(0, Number(position)).split("\n");
    return ` (line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`;
  }
  const lines = text.trimEnd().split("\n");
  const bad = lines.findIndex(
    (line, index) => index > 0 && index < lines.length - 1 && !isJsonMember(line),
  );
  return bad > 0 ? ` (line ${bad + 1})` : ` (${lines.length} lines, cut off or not JSON at all)`;
}

function isJsonMember(line: string): boolean {
  try {
    return isRecord(JSON.parse(`{${line.trim().replace(/,$/, "")}}`));
  } catch {
    return false;
  }
}

/** The text of each record's line without its comma. Undefined unless every key of the valid JSON has its own line. */
function recordLines(text: string, keys: readonly string[]): Map<string, string> | undefined {
  const lines = text.trimEnd().split(/\r?\n/);
  if (lines.length !== keys.length + 2 || lines[0]?.trim() !== "{" || lines.at(-1)?.trim() !== "}")
    return undefined;
  const found = new Map<string, string>();
  for (const [index, key] of keys.entries()) {
    const line = (lines[index + 1] ?? "").trimEnd();
    const member = line.endsWith(",") ? line.slice(0, -1) : line;
    if (!member.trimStart().startsWith(JSON.stringify(key))) return undefined;
    if (!member.endsWith("}") && !VERSION_KEYS.has(key)) return undefined;
    found.set(key, member);
  }
  return found;
}

function styleOf(text: string, isInLines: boolean): Omit<RegistryStyle, "hasByteOrderMark"> {
  const body = text.trim();
  const indent = /\n([ \t]+)\S/.exec(body)?.[1] ?? OWN_STYLE.indent;
  const isFlat = body !== "{}" && !body.includes("\n");
  return {
    layout: isFlat ? "flat" : isInLines || body === "{}" ? "lines" : "tree",
    indent: indent.slice(0, 10),
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
    hasFinalLineEnd: text.endsWith("\n"),
  };
}

function corrupt(file: string, what: string, cause?: unknown): AliasesError {
  return new AliasesError(
    "registry_corrupt",
    `${file} is not a registry: ${what}. Repair it, restore it, or delete it.`,
    {
      cause,
    },
  );
}
