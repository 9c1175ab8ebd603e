import { readFile, stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";

import {
  type CatalogFiles,
  type ChangeSeverity,
  fromCatalogFiles,
  type ResourceInput,
} from "@ccl/catalog";
import { fromJsonl } from "@ccl/catalog/importers";
import { createCatalogFolder, damagedCatalog } from "@ccl/catalog/node";

import {
  type CatalogChange,
  compareCatalogs,
  countSeverities,
  isReached,
  renderChanges,
  type SeverityCounts,
  summariseChanges,
} from "../catalog/compare-catalogs.ts";
import { catalogFolder, readCatalog } from "../catalog/read-catalog.ts";
import { requireValid, usageError } from "../cli-error.ts";
import { writeOut } from "../deliver-pack.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { gitInRoot } from "../git.ts";
import { formatCount, printable } from "../output/text.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl catalog diff`. */
interface CatalogDiffFlags {
  against?: string | undefined;
  save?: string | undefined;
  failOn?: ChangeSeverity | undefined;
}

/** Shows changes since a commit or snapshot, with their severity. */
export async function catalogDiff(
  session: Session,
  revision: string | undefined,
  flags: CatalogDiffFlags,
): Promise<CommandResult> {
  if (revision !== undefined && flags.against !== undefined) {
    throw usageError("Pass a revision or --against, not both.");
  }
  const { records } = await readCatalog(session);
  if (flags.save !== undefined) return saveSnapshot(session, flags.save, records);
  const document =
    flags.against === undefined
      ? await changesSince(session, records, revision)
      : comparison(flags.against, await readSnapshot(session, flags.against), records);
  const { against, changes } = document;
  return {
    document,
    text: (style) => renderChanges(changes, style),
    note: `${printable(`Since ${against}: ${summariseChanges(changes)}`)}\n`,
    exitCode: isReached(changes, flags.failOn) ? EXIT_CODES.checkFailed : EXIT_CODES.ok,
  };
}

/** The differences from an older state. */
interface CatalogComparison {
  against: string;
  /** Resources by highest severity. */
  counts: SeverityCounts;
  changes: CatalogChange[];
}

/** Compares the catalog with a commit, HEAD by default. */
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

/** Writes complete records, one per line, as input for `--against`. */
async function saveSnapshot(
  session: Session,
  file: string,
  records: readonly ResourceInput[],
): Promise<CommandResult> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const written = await writeOut(file, text, session);
  return {
    document: { written: [written], resources: records.length },
    text: `${printable(written)}: ${formatCount(records.length, "resource")}\n`,
  };
}

/** Reads the catalog at a commit. Empty if the commit has none yet. */
async function readRevision(session: Session, revision: string): Promise<readonly ResourceInput[]> {
  const files = await gitSnapshot(session, revision);
  if (files === undefined) return [];
  const read = fromCatalogFiles(files);
  if (read.ok) return read.value;
  throw damagedCatalog(`${catalogFolder(session).path} at ${revision}`, read.issues);
}

/** Reads a file that `--save` wrote, or a copy of the catalog's folder. */
async function readSnapshot(session: Session, name: string): Promise<readonly ResourceInput[]> {
  const path = resolve(session.terminal.cwd(), name);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw usageError(`${path} does not exist. "ccl catalog diff --save <file>" writes a snapshot.`);
  if (found.isDirectory()) {
    const { records } = await createCatalogFolder(path).read(session);
    return records.map(({ record }) => record);
  }
  return requireValid(
    fromJsonl(await readFile(path, { encoding: "utf8", signal: session.signal })),
  );
}

/** Reads the files of the catalog at a git revision. Undefined if it has none there. */
async function gitSnapshot(session: Session, revision: string): Promise<CatalogFiles | undefined> {
  if (revision.startsWith("-"))
    throw usageError(`${revision} is not a revision. Name a commit, such as HEAD~1.`);
  const git = (args: string[], input?: string): Promise<Buffer> =>
    gitInRoot(session, args, { refusal: "There is no revision to compare with", input });
  const folder = relative(session.root, catalogFolder(session).path).split(sep).join("/");
  const verified = await git(["rev-parse", "--verify", "--end-of-options", `${revision}^{tree}`]);
  const listed = await git(["ls-tree", "-r", "-z", String(verified).trim(), "--", `${folder}/`]);
  const blobs = String(listed)
    .split("\0")
    .flatMap((line) => {
      const [, hash, path = ""] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      const name = path.slice(folder.length + 1);
      const isOurs = name === "overview.jsonl" || name.startsWith("details/");
      return hash === undefined || !isOurs ? [] : [{ hash, name }];
    });
  if (!blobs.some(({ name }) => name === "overview.jsonl")) return undefined;
  const hashes = blobs.map(({ hash }) => `${hash}\n`).join("");
  const texts = textsOf(await git(["cat-file", "--batch"], hashes));
  return Object.fromEntries(blobs.map(({ name }, index) => [name, texts[index] ?? ""]));
}

/** Parses the output of `git cat-file --batch`: for each object a header line with the size, the bytes, a line feed. */
function textsOf(output: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const size = Number(output.toString("utf8", at, end).split(" ")[2]);
    texts.push(output.toString("utf8", end + 1, end + 1 + size));
    at = end + size + 2;
  }
  return texts;
}
