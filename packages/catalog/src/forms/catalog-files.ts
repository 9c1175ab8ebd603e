import { failure, success, type Issue, type Result, compareCodeUnits } from "@ccl/core";

import { checkResources } from "../record/check-resource.ts";
import type { ResourceOverview, ResourceRecord } from "../record/resource-record.ts";
import { fromCompactJsonl, toCompactJsonl } from "./compact-jsonl.ts";
import { compactKeys } from "./compact-keys.ts";
import { detailsPath } from "./details-path.ts";

/** Texts by path, separated by `/`: `overview.jsonl` and `details/<id>.json`. */
export type CatalogFiles = Readonly<Record<string, string>>;

const overviewPath = "overview.jsonl";
const overviewMembers = new Set<string>(compactKeys.map(([long]) => long));

/** Writes records as a folder that diffs well: sorted by id, with details that do not repeat the overview. */
export function toCatalogFiles(records: readonly ResourceRecord[]): CatalogFiles {
  const sorted = [...records].sort((left, right) => compareCodeUnits(left.id, right.id));
  const files: [string, string][] = [[overviewPath, toCompactJsonl(sorted)]];
  for (const record of sorted) {
    const members = Object.entries(record).filter(
      ([name, value]) => !overviewMembers.has(name) && value !== undefined,
    );
    members.sort(([left], [right]) => compareCodeUnits(left, right));
    const details = Object.fromEntries([["id", record.id], ...members]);
    files.push([detailsPath(record.id), `${JSON.stringify(details, undefined, 2)}\n`]);
  }
  return Object.fromEntries(files);
}

/**
 * Reads the records of such a folder, sorted by id. Reports every issue at once, with the file
 * first in its path: `file_missing`, `file_unexpected`, `not_json`, `id_mismatch`, and the issues
 * of resources. A details file is optional.
 */
export function fromCatalogFiles(files: CatalogFiles): Result<ResourceRecord[]> {
  const text = Object.hasOwn(files, overviewPath) ? files[overviewPath] : undefined;
  if (text === undefined) {
    return failure({
      code: "file_missing",
      path: [overviewPath],
      message: "There is no overview.jsonl.",
    });
  }
  const read = fromCompactJsonl(text);
  if (!read.ok) {
    return {
      ok: false,
      issues: read.issues.map((issue) => ({ ...issue, path: [overviewPath, ...issue.path] })),
    };
  }
  const issues: Issue[] = [];
  const paths = new Map(read.value.map((overview) => [detailsPath(overview.id), overview]));
  for (const path of Object.keys(files).sort()) {
    if (path === overviewPath || paths.has(path) || !path.startsWith("details/")) continue;
    issues.push({
      code: "file_unexpected",
      path: [path],
      message: `${path} belongs to no line of overview.jsonl.`,
    });
  }
  const records = [...paths].flatMap(
    ([path, overview]) => withDetails(path, { overview, files, issues }) ?? [],
  );
  records.sort((left, right) => compareCodeUnits(left.id, right.id));
  const [first, ...rest] = issues;
  return first === undefined ? success(records) : { ok: false, issues: [first, ...rest] };
}

function withDetails(
  path: string,
  { overview, files, issues }: { overview: ResourceOverview; files: CatalogFiles; issues: Issue[] },
): ResourceRecord | undefined {
  const text = Object.hasOwn(files, path) ? files[path] : undefined;
  if (text === undefined) return { ...overview };
  const details = parsedObject(text);
  if (details === undefined) {
    issues.push({ code: "not_json", path: [path], message: `${path} is not a JSON object.` });
    return undefined;
  }
  if (details["id"] !== overview.id) {
    issues.push({
      code: "id_mismatch",
      path: [path, "id"],
      message: `${path} has another id than its line has.`,
    });
    return undefined;
  }
  const checked = checkResources([{ ...details, ...overview }]);
  if (!checked.ok) {
    issues.push(
      ...checked.issues.map((issue) => ({ ...issue, path: [path, ...issue.path.slice(1)] })),
    );
    return undefined;
  }
  const [input] = checked.value;
  return input === undefined ? undefined : { ...input, ...overview };
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}
