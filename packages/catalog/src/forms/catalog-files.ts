import { failure, success, type Issue, type Result, compareCodeUnits } from "@ccl/core";
import { isRecord, type JsonRecord, parseJson, stringAt } from "@ccl/core/json";

import { checkRecords } from "../record/check-resource.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { compactKeys } from "./compact-keys.ts";
import { detailsPath } from "./details-path.ts";

/** File contents by path, separated by `/`: `overview.jsonl` and `details/<id>.json`. */
export type CatalogFiles = Readonly<Record<string, string>>;

const overviewPath = "overview.jsonl";
const overviewMembers = new Set<string>(compactKeys.map(([long]) => long));
const longOf = new Map<string, string>(compactKeys.map(([long, short]) => [short, long]));

/**
 * Writes records as a folder that diffs well: sorted by id, with a line of short keys for each overview, and
 * details that do not repeat the overview.
 */
export function toCatalogFiles(records: readonly ResourceRecord[]): CatalogFiles {
  const sorted = [...records].sort((left, right) => compareCodeUnits(left.id, right.id));
  const lines = sorted.map((record) => {
    const members = compactKeys.map(([long, short]): [string, unknown] => [short, record[long]]);
    return `${JSON.stringify(Object.fromEntries(members))}\n`;
  });
  const details = sorted.map((record): [string, string] => {
    const members = Object.entries(record).filter(([name]) => !overviewMembers.has(name));
    members.sort(([left], [right]) => compareCodeUnits(left, right));
    const content = Object.fromEntries([["id", record.id], ...members]);
    return [detailsPath(record.id), `${JSON.stringify(content, undefined, 2)}\n`];
  });
  return Object.fromEntries([[overviewPath, lines.join("")], ...details]);
}

/**
 * Reads the records in such a folder, sorted by id. Reports all issues at once. Paths start with the file,
 * followed in `overview.jsonl` by the line from 0. Codes: `file_missing`, `file_unexpected`, `not_json`,
 * `unknown_key`, `id_mismatch`, and the issues of resources. Details files are optional. Empty lines and a byte
 * order mark are skipped.
 */
export function fromCatalogFiles(files: CatalogFiles): Result<ResourceRecord[]> {
  const text = textAt(files, overviewPath);
  if (text === undefined) {
    const message = "There is no overview.jsonl.";
    return failure({ code: "file_missing", path: [overviewPath], message });
  }
  const issues: Issue[] = [];
  const read = [...text.split("\n").entries()].flatMap(([at, line]) => {
    const overview = line.trim() === "" ? undefined : readLine(line, { at, issues });
    if (overview === undefined) return [];
    return { at, overview, path: detailsPath(stringAt(overview, "id") ?? "") };
  });
  const paths = new Set(read.map(({ path }) => path));
  const strays = Object.keys(files).filter(
    (path) => path.startsWith("details/") && !paths.has(path),
  );
  // Details of an unreadable line are not unexpected files.
  for (const path of issues.length > 0 ? [] : strays.sort()) {
    const message = `${path} belongs to no line of overview.jsonl.`;
    issues.push({ code: "file_unexpected", path: [path], message });
  }
  const checked = checkRecords(
    read.map((file) => ({ ...detailsOf(file, files, issues), ...file.overview })),
  );
  const found = checked.ok ? [] : checked.issues;
  issues.push(
    ...found.map((issue) => {
      const [index, member = "", ...rest] = issue.path;
      const { at = 0, path = overviewPath } = read[Number(index)] ?? {};
      const isBelow = !overviewMembers.has(String(member)) && member !== "";
      return {
        ...issue,
        path: isBelow ? [path, member, ...rest] : [overviewPath, at, member, ...rest],
      };
    }),
  );
  const [first, ...others] = issues;
  if (first !== undefined) return failure(first, ...others);
  const records = checked.ok ? checked.value : [];
  return success(records.sort((left, right) => compareCodeUnits(left.id, right.id)));
}

function textAt(files: CatalogFiles, path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path]?.replace(/^\uFEFF/, "") : undefined;
}

/** Reads an overview and expands its short keys. */
function readLine(
  line: string,
  { at, issues }: { at: number; issues: Issue[] },
): JsonRecord | undefined {
  const value = parseJson(line);
  if (!isRecord(value)) {
    const message = `Line ${at + 1} is not a JSON object.`;
    issues.push({ code: "not_json", path: [overviewPath, at], message });
    return undefined;
  }
  for (const key of Object.keys(value).filter((name) => !longOf.has(name))) {
    const message = `Line ${at + 1} has the key ${JSON.stringify(key.slice(0, 40))}; known are ${[...longOf.keys()].join(", ")}.`;
    issues.push({ code: "unknown_key", path: [overviewPath, at, key], message });
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [longOf.get(key) ?? key, member]),
  );
}

/** Returns the fields in the details file. Empty if there is no such file or it belongs to another overview. */
function detailsOf(
  { path, overview }: { path: string; overview: JsonRecord },
  files: CatalogFiles,
  issues: Issue[],
): JsonRecord {
  const text = textAt(files, path);
  if (text === undefined) return {};
  const details = parseJson(text);
  if (!isRecord(details)) {
    issues.push({ code: "not_json", path: [path], message: `${path} is not a JSON object.` });
    return {};
  }
  if (details["id"] === overview["id"]) return details;
  const message = `${path} has another id than its line has.`;
  issues.push({ code: "id_mismatch", path: [path, "id"], message });
  return {};
}
