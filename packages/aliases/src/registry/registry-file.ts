import { compareCodeUnits } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import { posix } from "node:path";

import { AliasesError } from "../aliases-error.ts";
import { parseAlias, quote } from "./alias-name.ts";

/** The registry's record for an alias. */
export interface RegistryRecord {
  /** Relative to the root. Uses forward slashes. */
  path: string;
  /** 8 lower-case hex digits. */
  sha8: string;
  /**
   * Absent if the file has none, or if it does not start with `sha8` because another tool changed
   * `sha8`.
   */
  sha256?: string | undefined;
  /** The JSON fields of the record, including unknown keys. */
  fields: Record<string, unknown>;
  /** True if the record has not changed since the file was parsed. */
  isUnchanged?: true | undefined;
}

/** A parsed registry file. */
export interface RegistryDocument {
  records: Map<string, RegistryRecord>;
  /** All top-level keys, in file order. */
  keys: string[];
  /** The parsed text, whose formatting is preserved. */
  text: string;
}

/** The formatting of a registry file. */
interface RegistryForm {
  /** What precedes and follows the JSON: a byte order mark and white space. */
  start: string;
  end: string;
  lineEnd: "\n" | "\r\n";
  /** Undefined if no line is indented. */
  indent: string | undefined;
  /** The text of each record. Undefined unless each record has its own line, as in the design document. */
  lines: ReadonlyMap<string, string> | undefined;
}

const VERSION_KEYS = new Set(["version", "$version", "schemaVersion"]);
const OWN_INDENT = "  ";

/** Returns the document of a registry that does not have a file yet. */
export function emptyRegistry(): RegistryDocument {
  return { records: new Map(), keys: [], text: "{}\n" };
}

/** Parses the flat format `{"S.entities": {"path", "sha"}}`. Throws registry_corrupt, registry_version_unsupported. */
export function parseRegistry(text: string, file: string): RegistryDocument {
  const top = parseBody(text.replace(BYTE_ORDER_MARK, ""), file);
  if (!isRecord(top)) throw corrupt(file, "it is not a JSON object");
  const records = new Map<string, RegistryRecord>();
  const keys: string[] = [];
  for (const [key, value] of Object.entries(top)) {
    keys.push(key);
    if (VERSION_KEYS.has(key)) checkVersion(key, value, file);
    else records.set(key, readRecord({ alias: key, value, file }));
  }
  return { records, keys, text };
}

/** Renders the document with the formatting of its text. Unchanged records keep their lines. */
export function renderRegistry(document: RegistryDocument): string {
  const { start, end, lineEnd, indent, lines } = readForm(document);
  const entries = orderedKeys(document).map((key) => [key, document.records.get(key)] as const);
  const rendered = entries.map(
    ([key, record]) =>
      (record?.isUnchanged && lines?.get(key)) ||
      `${indent ?? OWN_INDENT}${JSON.stringify(key)}: ${JSON.stringify(fieldsOf(record))}`,
  );
  const inLines = rendered.length === 0 ? "{}" : `{\n${rendered.join(",\n")}\n}`;
  const value = Object.fromEntries(entries.map(([key, record]) => [key, fieldsOf(record)]));
  const body = lines === undefined ? JSON.stringify(value, null, indent) : inLines;
  return start + body.replaceAll("\n", lineEnd) + end;
}

const BYTE_ORDER_MARK = /^\uFEFF/;

function readForm({ text, keys }: RegistryDocument): RegistryForm {
  const start = BYTE_ORDER_MARK.exec(text)?.[0] ?? "";
  const body = text.slice(start.length).trimEnd();
  return {
    start,
    end: text.slice(start.length + body.length),
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
    indent: /\n([ \t]+)\S/.exec(body)?.[1],
    lines: body === "{}" ? new Map() : recordLines(body, keys),
  };
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

/** Returns the JSON value of a key. A key without a record is a version key, and the only version is 1. */
function fieldsOf(record: RegistryRecord | undefined): unknown {
  return record === undefined ? 1 : record.fields;
}

/** Sets the path and hash of a new or existing record. Keeps unknown keys. */
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
 * Normalizes a path to forward slashes without `.` and `..`. Returns undefined if the path is
 * empty, absolute, or leads outside the root.
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
 * Describes where the text stops being JSON: the engine's position, otherwise the first line that
 * is not a JSON record.
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

/**
 * Returns the text of each record's line without its comma. Undefined unless every key of the valid
 * JSON has its own line.
 */
function recordLines(text: string, keys: readonly string[]): Map<string, string> | undefined {
  const lines = text.split(/\r?\n/);
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

function corrupt(file: string, what: string, cause?: unknown): AliasesError {
  return new AliasesError(
    "registry_corrupt",
    `${file} is not a registry: ${what}. Repair it, restore it, or delete it.`,
    {
      cause,
    },
  );
}
