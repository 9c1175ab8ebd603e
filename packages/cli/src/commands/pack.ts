import { setTimeout } from "node:timers/promises";

import { createContextFiles, type Pack } from "@ccl/aliases";
import type { TokenCounter } from "@ccl/core";

import { keepBaseTree } from "../base-tree.ts";
import { buildProjectPack, type PackShape, type PackSource } from "../build-project-pack.ts";
import { CliError, usageError } from "../cli-error.ts";
import { copyToClipboard, partName, splitPack, writeOut } from "../deliver-pack.ts";
import {
  estimateFiles,
  describeOmitted,
  describeUnmatched,
  renderPackSummary,
  type PackFacts,
  renderTokenTree,
} from "../pack-summary.ts";
import { readListedPaths, applySettings, ignoringOutput, type ShapeFlags } from "../pack-shape.ts";
import {
  narrowRegistry,
  describeUnnamed,
  hasRegistry,
  keepPackFiles,
  type ProjectFiles,
  requireFiles,
  withFiles,
  withFreshScan,
} from "../project.ts";
import { few, formatCount, formatNumber, printable } from "../output/text.ts";
import type { Style } from "../output/style.ts";
import type { CommandResult, Session } from "../session.ts";
import { withRemote } from "../with-remote.ts";

/** Flags of `ccl pack`. */
interface PackFlags extends ShapeFlags {
  show?: boolean | undefined;
  out?: string | undefined;
  split?: number | undefined;
  copy?: boolean | undefined;
  watch?: boolean | undefined;
  tree?: boolean | undefined;
  stdin?: boolean | undefined;
  remote?: string | undefined;
  branch?: string | undefined;
  accept?: boolean | undefined;
}

/** A pack, and where it was delivered. */
interface Packed {
  pack: Pack;
  counter: TokenCounter;
  facts: PackFacts;
  /** Files written, with paths as the user typed them. */
  written: string[];
  /** Paths from stdin that are not files of the project. */
  unlisted: string[];
  tree: string | undefined;
  /** The program that copied it to the clipboard. */
  copiedBy?: string | undefined;
  /** Id of the base that was accepted. */
  accepted?: string | undefined;
}

/** Options of one pack. */
interface Order {
  flags: PackFlags;
  shape: PackShape;
  /** Undefined without `--stdin`. */
  listed: ReadonlySet<string> | undefined;
}

/** Packs the project. With `ccl init` the pack is stored. Otherwise only `--out` writes. */
export async function pack(session: Session, flags: PackFlags): Promise<CommandResult> {
  requireFitting(flags, hasRegistry(session));
  const { remote, branch } = flags;
  if (remote !== undefined) {
    // The settings of neither the clone nor the current folder apply.
    const order = { flags, shape: await applySettings(session, flags, {}), listed: undefined };
    const packed = withRemote(session, { remote, branch }, (clone) => packOnce(clone, order));
    return resultOf(await packed, flags);
  }
  const listed = flags.stdin ? await readListedPaths(session) : undefined;
  if (listed?.size === 0) throw usageError("stdin names no files. Pass one path per line.");
  const shape = ignoringOutput(session, await applySettings(session, flags), flags);
  const order: Order = { flags, shape, listed };
  if (!flags.watch) return resultOf(await packOnce(session, order), flags);
  return watchPack(session, shape, async () => {
    const { pack: packed, written } = await packOnce(session, order);
    return `${written.map(printable).join(", ")}: ${formatNumber(packed.tokens)} tokens`;
  });
}

async function packOnce(session: Session, order: Order): Promise<Packed> {
  const { flags, shape } = order;
  const isProject = hasRegistry(session) && flags.remote === undefined;
  const persist = isProject && !flags.show;
  return withFiles(session, { ...shape, persist }, async (found) => {
    const files = isProject ? createContextFiles(found.all) : undefined;
    const packed = await buildPacked(session, order, { ...found, files });
    if (files && persist) packed.written.push(await files.writePack(packed.pack, session));
    const delivered = await deliver(packed, session, flags);
    if (persist) await keepPackFiles(session, delivered);
    // Accept the base last, when the pack has been delivered.
    if (files && flags.accept) {
      packed.accepted = (await files.accept(packed.pack, session)).snapshot.id;
      await keepBaseTree(session, packed.accepted);
    }
    return packed;
  });
}

function resultOf(packed: Packed, flags: PackFlags): CommandResult {
  const { written, accepted, copiedBy, facts, unlisted, tree } = packed;
  const { text, ...figures } = packed.pack;
  const { skipped, ...sizes } = facts;
  const isPrinted = (flags.out === undefined && flags.copy !== true) || flags.show === true;
  return {
    document: {
      text,
      ...figures,
      omitted: [...figures.omitted, ...skipped],
      ...sizes,
      tree,
      unlisted,
      written,
      accepted: accepted || undefined,
      isCopied: copiedBy !== undefined,
    },
    text: isPrinted ? text : undefined,
    note: (style) => describePacked(packed, { flags, isPrinted, style }),
  };
}

function describePacked(
  packed: Packed,
  { flags, isPrinted, style }: { flags: PackFlags; isPrinted: boolean; style: Style },
): string {
  const { pack: result, facts, written, copiedBy, accepted, tree = "" } = packed;
  const lines = [
    ...written.map((path) => `wrote ${printable(path)}`),
    ...(copiedBy === undefined ? [] : [`copied by ${copiedBy}`]),
    ...(accepted === undefined ? [] : [`accepted ${accepted} as the base`]),
  ].map((line) => `${line}\n`);
  const remarks = `${describeUnnamed(facts.unnamed)}${describeLeftOver(packed)}${tree}`;
  if (style.isTerminal)
    return `${renderPackSummary(result, facts, style)}${remarks}${lines.join("")}`;
  const unmatched =
    result.isMatched || flags.task === undefined ? "" : `ccl: ${describeUnmatched(result)}\n`;
  const omitted = describeOmitted(result, facts);
  const counted = flags.model === undefined ? "" : `ccl: tokens of ${facts.counter}\n`;
  const left = omitted && `ccl: not shown: ${omitted}\n`;
  // If the pack is written to a pipe, do not report the files written next to it.
  return `${unmatched}${counted}${left}${remarks}${isPrinted ? "" : lines.join("")}`;
}

/**
 * Describes paths from stdin that were not found, and files whose encoding is guessed or cannot be written back without
 * loss.
 */
function describeLeftOver({ pack: { entries }, unlisted }: Packed): string {
  const foreign = entries.flatMap(({ path, encoding }) =>
    encoding === undefined ? [] : [`${path} (${encoding})`],
  );
  const lines = [
    ...(unlisted.length === 0
      ? []
      : [`not packed, since they are not files of the project: ${few(unlisted)}`]),
    ...(foreign.length === 0 ? [] : [`not UTF-8: ${few(foreign)}`]),
  ];
  return lines.map((line) => `ccl: ${printable(line)}\n`).join("");
}

function requireFitting(flags: PackFlags, isSetUp: boolean): void {
  if (flags.split !== undefined && flags.out === undefined)
    throw usageError("--split writes files, so it needs --out.");
  if (flags.watch && flags.out === undefined)
    throw usageError("--watch rewrites a file, so it needs --out.");
  if (flags.branch !== undefined && flags.remote === undefined)
    throw usageError("--branch needs --remote.");
  const needing = flags.accept ? "--accept" : flags.base ? "--base" : undefined;
  if (needing !== undefined && !isSetUp)
    throw new CliError("not_initialized", `${needing} needs a project. Run "ccl init" first.`);
}

/** Packs the files that stdin lists, or all. Fails if there are none. */
async function buildPacked(
  session: Session,
  { flags, shape, listed }: Order,
  { registry: selected, files, skipped, unnamed }: ProjectFiles & PackSource,
): Promise<Packed> {
  const registry = narrowRegistry(selected, listed);
  requireFiles(registry, listed === undefined ? shape : { include: ["(stdin)"] }, skipped);
  const { pack, counter } = await buildProjectPack(session, shape, { registry, files });
  const isSummaryRead = session.isJson || session.noteStyle.isTerminal;
  const estimates =
    isSummaryRead || flags.tree
      ? await estimateFiles(registry, session.signal)
      : new Map<string, number>();
  const known = new Set(registry.list().map(({ path }) => path));
  return {
    pack,
    counter,
    facts: {
      budget: shape.budget,
      counter: counter.name,
      rawTokens: [...estimates.values()].reduce((sum, tokens) => sum + tokens, 0),
      unnamed,
      skipped: skipped.filter(({ path }) => listed?.has(path) !== false),
    },
    written: [],
    unlisted: [...(listed ?? [])].filter((path) => !known.has(path)),
    tree: flags.tree ? renderTokenTree(pack, estimates) : undefined,
  };
}

/** Delivers the pack to every target except stdout. Returns the paths of the files. */
async function deliver(
  packed: Packed,
  session: Session,
  { out, split, copy }: PackFlags,
): Promise<string[]> {
  const { text } = packed.pack;
  const paths: string[] = [];
  // All parts are cut before the first is written.
  const parts = split === undefined ? [text] : splitPack(text, split, packed.counter);
  if (out !== undefined)
    for (const [index, part] of parts.entries())
      paths.push(
        await writeOut(split === undefined ? out : partName(out, index + 1), part, session),
      );
  packed.written.push(...paths);
  if (copy) packed.copiedBy = await copyToClipboard(text, session);
  return paths;
}

const EVERY_MS = 700;

/** Runs `build` now and after each change to the selected files, until the user interrupts. */
function watchPack(
  session: Session,
  rules: ShapeFlags,
  build: () => Promise<string>,
): Promise<never> {
  const { signal, terminal } = session;
  return withFreshScan(session, rules, async (registry) => {
    for (let cause = "watching"; ;) {
      const line = await build();
      session.progress.clear();
      terminal.stderr.write(`${line} (${cause})\n`);
      for (cause = ""; cause === "";) {
        await setTimeout(EVERY_MS, undefined, session);
        const { added, updated, moved, removed } = await registry.scan({ ...rules, signal });
        const count = added.length + updated.length + moved.length + removed.length;
        if (count > 0) cause = `${formatCount(count, "file")} changed`;
      }
    }
  });
}
