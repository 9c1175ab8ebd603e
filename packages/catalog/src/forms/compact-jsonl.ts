import { success, type Issue, type Result } from "@ccl/core";

import { checkResources } from "../record/check-resource.ts";
import type { ResourceInput, ResourceOverview } from "../record/resource-record.ts";
import { compactKeys } from "./compact-keys.ts";

const longOf = new Map<string, string>(compactKeys.map(([long, short]) => [short, long]));
const longestLine = 4_000_000;

/** Writes overviews as JSONL with short keys, in the order given. They are stored and exported in this format. */
export function toCompactJsonl(overviews: readonly ResourceOverview[]): string {
  return overviews.map((overview) => `${JSON.stringify(toCompact(overview))}\n`).join("");
}

function toCompact(overview: ResourceOverview): Record<string, unknown> {
  const members = compactKeys.map(([long, short]): [string, unknown] => [short, overview[long]]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/**
 * Reads overviews from such JSONL. Reports every issue at once, with the line (from 0) first in its
 * path: `not_json`, `unknown_key`, and the issues of resources. Empty lines and a byte order mark
 * are skipped.
 */
export function fromCompactJsonl(text: string): Result<ResourceOverview[]> {
  const issues: Issue[] = [];
  const lines: { at: number; value: Record<string, unknown> }[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "") continue;
    const value = readLine(line, { at, issues });
    if (value !== undefined) lines.push({ at, value });
  }
  const checked = checkResources(lines.map(({ value }) => value));
  if (!checked.ok) issues.push(...checked.issues.map((issue) => atLine(issue, lines)));
  const overviews = checked.ok
    ? checked.value.map((input, index) => toOverview(input, { at: lines[index]?.at ?? 0, issues }))
    : [];
  const [first, ...rest] = issues;
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  return success(overviews.flatMap((overview) => overview ?? []));
}

function atLine(issue: Issue, lines: readonly { at: number }[]): Issue {
  const [index, ...path] = issue.path;
  return { ...issue, path: [lines[Number(index)]?.at ?? 0, ...path] };
}

function readLine(
  line: string,
  { at, issues }: { at: number; issues: Issue[] },
): Record<string, unknown> | undefined {
  const value = line.length > longestLine ? undefined : parsed(line);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    issues.push({ code: "not_json", path: [at], message: `Line ${at + 1} is not a JSON object.` });
    return undefined;
  }
  const entries = Object.entries(value);
  for (const [key] of entries.filter(([name]) => !longOf.has(name))) {
    const message = `Line ${at + 1} has the key ${JSON.stringify(key.slice(0, 40))}; known are ${[...longOf.keys()].join(", ")}.`;
    issues.push({ code: "unknown_key", path: [at, key], message });
  }
  return Object.fromEntries(entries.map(([key, member]) => [longOf.get(key) ?? key, member]));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const hash = /^[0-9a-f]{16}$/;

function toOverview(
  input: ResourceInput,
  { at, issues }: { at: number; issues: Issue[] },
): ResourceOverview | undefined {
  const {
    id,
    uri,
    kind,
    title,
    tags,
    shape,
    schema_digest,
    cap,
    cost_hint,
    examples,
    owner,
    updated_at,
  } = input;
  const { rev, schema_hash, cap_hash } = input;
  const isWhole = typeof rev === "number" && Number.isSafeInteger(rev) && rev >= 1;
  if (!isWhole)
    issues.push({
      code: "invalid_resource",
      path: [at, "rv"],
      message: "rv is a whole number from 1.",
    });
  const areHashes = isHash(schema_hash) && isHash(cap_hash);
  if (!areHashes) {
    issues.push({
      code: "invalid_resource",
      path: [at, "sh#"],
      message: "sh# and ch# are 16 hexadecimal digits each.",
    });
  }
  if (updated_at === undefined)
    issues.push({ code: "invalid_resource", path: [at, "ts"], message: "ts is missing." });
  if (!isWhole || !isHash(schema_hash) || !isHash(cap_hash) || updated_at === undefined)
    return undefined;
  return {
    id,
    uri,
    kind,
    title,
    tags: tags ?? [],
    shape,
    schema_digest: schema_digest ?? [],
    cap: cap ?? [],
    cost_hint,
    examples,
    owner,
    updated_at,
    rev,
    schema_hash,
    cap_hash,
  };
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && hash.test(value);
}
