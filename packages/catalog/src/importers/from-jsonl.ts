import { failure, success, type Issue, type Result } from "@ccl/core";
import { compactKeys } from "../forms/compact-keys.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { cleanText } from "../schema/clean-text.ts";
import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

const longNames = new Map<string, string>(compactKeys.map(([long, short]) => [short, long]));
/** Fields that the catalog computes itself. */
const derived = new Set(["rev", "schema_hash", "cap_hash"]);
/** Maximum number of reported issues. */
const maxIssues = 100;

/**
 * Reads records from JSONL text, in order. Lines can be any mix of overview rows, compact rows with short keys,
 * and whole records. Fields that the catalog derives (`rev`, hashes) are ignored. Codes: `malformed_line`,
 * `not_a_record`. An issue's path is the index of the line, from 0.
 */
export function fromJsonl(text: string): Result<ResourceInput[]> {
  const issues: Issue[] = [];
  const resources: ResourceInput[] = [];
  for (const [index, row] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    const line = row.trim();
    if (line === "") continue;
    const read = readLine(line, index);
    if (read.ok) resources.push(read.value);
    else issues.push(...read.issues);
    if (issues.length >= maxIssues) break;
  }
  const [first, ...others] = issues;
  return first === undefined ? success(resources) : failure(first, ...others);
}

function readLine(line: string, index: number): Result<ResourceInput> {
  const value = parseJson(line);
  if (value === undefined) {
    const start = JSON.stringify(cleanText(line.slice(0, 2_000), 80) ?? "");
    const message = `Line ${index + 1} is not JSON, it begins with ${start}; each line is one record.`;
    return failure({ code: "malformed_line", path: [index], message });
  }
  const record = isRecord(value) ? withLongNames(value) : {};
  const { id, kind, title } = record;
  if (typeof id === "string" && typeof kind === "string" && typeof title === "string") {
    return success({ ...record, id, kind, title });
  }
  const message = `Line ${index + 1} is not a record: id, kind (or k) and title (or t) must be strings.`;
  return failure({ code: "not_a_record", path: [index], message });
}

/** Expands short keys, but only in a row that has no long ones. In a whole record, `k` is a custom field. */
function withLongNames(row: JsonRecord): JsonRecord {
  const isCompact = !("kind" in row) && !("title" in row);
  const entries = Object.entries(row).map(([name, value]): [string, unknown] => [
    (isCompact ? longNames.get(name) : undefined) ?? name,
    value,
  ]);
  return Object.fromEntries(entries.filter(([name]) => !derived.has(name)));
}
