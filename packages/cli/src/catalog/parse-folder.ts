import {
  type CatalogFiles,
  detailsPath,
  fromCatalogFiles,
  type ResourceRecord,
  toCompactJsonl,
} from "@ccl/catalog";
import type { SnapshotRecord } from "@ccl/catalog/snapshot";
import { type Issue, sha256Hex } from "@ccl/core";

import { CliError } from "../cli-error.ts";
import type { FolderContent } from "./folder-cache.ts";
import { OVERVIEW } from "./folder-files.ts";

/** What is known of a folder that is read again. */
export interface FolderReading {
  known: FolderContent;
  /** Paths of all files that are there. */
  present: ReadonlySet<string>;
  /** Paths of those that are not as they were. */
  changed: ReadonlySet<string>;
  /** Of the overviews; undefined where they are as they were. */
  overview: string | undefined;
  /** Gives texts; undefined where one is not what it was when the reading began. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, string> | undefined>;
}

/** The records of a folder in this form. @throws CliError `catalog_damaged` with every issue */
export function parseRecords(files: CatalogFiles, place: string): ResourceRecord[] {
  const read = fromCatalogFiles(files);
  if (!read.ok) throw damaged(place, read.issues);
  return read.value;
}

/** Records with the hashes of their contents. */
export function hashed(records: readonly ResourceRecord[]): SnapshotRecord[] {
  return records.map((record) => ({ record, hash: sha256Hex(JSON.stringify(record)) }));
}

/**
 * The records of a folder, of which only those are parsed whose line or details changed. Gives `again` where that is not
 * enough to tell: the folder has to be read as a whole then.
 */
export async function parseChanges(reading: FolderReading): Promise<SnapshotRecord[] | "again"> {
  const { known, present, changed, overview } = reading;
  const same: SnapshotRecord[] = [];
  const owned = new Set<string>();
  const lines: string[] = [];
  const paths: string[] = [];
  const byLine =
    overview === undefined ? undefined : new Map(known.records.map((each) => [lineOf(each), each]));
  const given = overview?.split(/\r?\n/).filter((line) => line.trim() !== "");
  for (const each of given ?? known.records) {
    const record = typeof each === "string" ? byLine?.get(each) : each;
    const path = record === undefined ? undefined : detailsPath(record.record.id);
    const isSame =
      path !== undefined && !changed.has(path) && present.has(path) === known.files.has(path);
    if (record !== undefined && isSame) same.push(record);
    else lines.push(typeof each === "string" ? each : lineOf(each));
    const place = path ?? pathOfLine(typeof each === "string" ? each : "");
    owned.add(place);
    if (!isSame && present.has(place)) paths.push(place);
  }
  paths.push(...[...present].filter((path) => path.startsWith("details/") && !owned.has(path)));
  const texts = await reading.read(paths);
  if (texts === undefined) return "again";
  const parsed = fromCatalogFiles({ ...Object.fromEntries(texts), [OVERVIEW]: lines.join("\n") });
  if (!parsed.ok) return "again";
  const records = [...same, ...hashed(parsed.value)];
  const ids = new Set(records.map(({ record }) => record.id));
  return ids.size < records.length ? "again" : records.sort(byId);
}

function byId(left: SnapshotRecord, right: SnapshotRecord): number {
  return left.record.id < right.record.id ? -1 : 1;
}

function lineOf({ record }: SnapshotRecord): string {
  return toCompactJsonl([record]).trimEnd();
}

/** Where the details of a line would be that is not known. */
function pathOfLine(line: string): string {
  try {
    const { id }: { id?: unknown } = JSON.parse(line);
    return typeof id === "string" ? detailsPath(id) : "";
  } catch {
    return "";
  }
}

/** What a command fails with that cannot read the catalog. */
export function damaged(place: string, issues: readonly Issue[]): CliError {
  const lines = issues
    .slice(0, 20)
    .map((issue) => `${issue.code} at ${issue.path.join("/")}: ${issue.message}`);
  const rest = issues.length > lines.length ? `\n[${issues.length - lines.length} more]` : "";
  const message = `The catalog in ${place} can't be read:\n${lines.join("\n")}${rest}`;
  return new CliError("catalog_damaged", message, { details: { issues } });
}
