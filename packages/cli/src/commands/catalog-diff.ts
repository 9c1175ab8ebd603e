import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";

import { type ChangeSeverity, fromCatalogFiles, fromJsonl, type ResourceInput } from "@ccl/catalog";
import { createCatalogFolder, damagedCatalog } from "@ccl/catalog/node";

import { catalogFolder, readCatalog } from "../catalog/read-catalog.ts";
import {
  type CatalogChange,
  compareCatalogs,
  countSeverities,
  isReached,
  type SeverityCounts,
} from "../catalog/compare-catalogs.ts";
import { gitSnapshot } from "../catalog/git-snapshot.ts";
import { renderChanges, summariseChanges } from "../catalog/render-changes.ts";
import { CliError, inputError } from "../cli-error.ts";
import { writeOut } from "../deliver-pack.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { printable } from "../output/printable.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl catalog diff`. */
export interface CatalogDiffFlags {
  against?: string | undefined;
  save?: string | undefined;
  failOn?: ChangeSeverity | undefined;
}

/** What changed since a commit, or since a snapshot, and whom it hurts. */
export async function catalogDiff(
  session: Session,
  revision: string | undefined,
  flags: CatalogDiffFlags,
): Promise<CommandResult> {
  if (revision !== undefined && flags.against !== undefined) {
    throw new CliError("usage", "Compare with a revision or with --against, not with both.");
  }
  const records = (await readCatalog(session)).content.records.map(({ record }) => record);
  if (flags.save !== undefined) return await saveSnapshot(session, flags.save, records);
  const document =
    flags.against === undefined
      ? await changesSince(session, records, revision)
      : comparison(flags.against, await readSnapshot(session, flags.against), records);
  const { against, changes } = document;
  return {
    document,
    text: (style) => renderChanges(changes, style),
    note: () => `${printable(`Since ${against}: ${summariseChanges(changes)}`)}\n`,
    exitCode: isReached(changes, flags.failOn) ? EXIT_CODES.checkFailed : EXIT_CODES.ok,
  };
}

/** What differs from an older state. */
interface CatalogComparison {
  against: string;
  /** Resources by the worst that happened to them. */
  counts: SeverityCounts;
  changes: CatalogChange[];
}

/** What changed since a commit, HEAD by default. */
export async function changesSince(
  session: Session,
  records: readonly ResourceInput[],
  revision = "HEAD",
): Promise<CatalogComparison> {
  return comparison(revision, await readRevision(session, revision), records);
}

function comparison(
  against: string,
  before: readonly ResourceInput[],
  records: readonly ResourceInput[],
): CatalogComparison {
  const changes = compareCatalogs(before, records);
  return { against, counts: countSeverities(changes), changes };
}

/** Whole records, one a line: what `--against` takes. */
async function saveSnapshot(
  session: Session,
  file: string,
  records: readonly ResourceInput[],
): Promise<CommandResult> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const written = await writeOut(file, text, session);
  return {
    document: { written: [written], resources: records.length },
    text: () => `${printable(written)}: ${formatCount(records.length, "resource")}\n`,
  };
}

/** A commit that has no catalog yet is an empty one. */
async function readRevision(session: Session, revision: string): Promise<readonly ResourceInput[]> {
  const files = await gitSnapshot(session, revision);
  if (files === undefined) return [];
  const read = fromCatalogFiles(files);
  if (read.ok) return read.value;
  throw damagedCatalog(`${catalogFolder(session).path} at ${revision}`, read.issues);
}

/** A file of `--save`, or a copy of the catalog's folder. */
async function readSnapshot(session: Session, name: string): Promise<readonly ResourceInput[]> {
  const path = resolve(session.terminal.cwd(), name);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new CliError("usage", `There is nothing at ${path} to compare with.`);
  if (found.isDirectory()) {
    const { records } = await createCatalogFolder(path).read(session);
    return records.map(({ record }) => record);
  }
  const read = fromJsonl(await readFile(path, { encoding: "utf8", signal: session.signal }));
  if (!read.ok) throw inputError(read.issues);
  return read.value;
}
