import { createContextFiles, type AliasRegistry, type Pack, type ScanRules } from "@ccl/aliases";

import { buildProjectPack, type PackShape, type PackSource } from "../build-project-pack.ts";
import { CliError } from "../cli-error.ts";
import { copyToClipboard, writeOut } from "../deliver-pack.ts";
import { estimateRawTokens } from "../estimate-raw-tokens.ts";
import type { CommandResult } from "../output/command-result.ts";
import { printable } from "../output/printable.ts";
import type { Style } from "../output/style.ts";
import { describeUnmatched, renderPackSummary, type PackFacts } from "../pack-summary.ts";
import {
  describeUnnamed,
  hasRegistry,
  matchedPaths,
  nameNewFiles,
  withProject,
  withScan,
} from "../project.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl pack`. */
export interface PackFlags extends PackShape {
  show?: boolean | undefined;
  out?: string | undefined;
  copy?: boolean | undefined;
  include?: string[] | undefined;
  ignore?: string[] | undefined;
  accept?: boolean | undefined;
}

/** A pack and what was done with it. */
interface Packed {
  pack: Pack;
  facts: PackFacts;
  /** Files written, as the user knows them. */
  written: string[];
  /** The program that put it on the clipboard. */
  copiedBy?: string | undefined;
  /** Id of the base that was accepted. */
  accepted?: string | undefined;
}

/** Packs the project. Where it is set up the pack is kept; elsewhere nothing is written but `--out`. */
export async function pack(session: Session, flags: PackFlags): Promise<CommandResult> {
  const isSetUp = await hasRegistry(session);
  requireSetUp(flags, isSetUp);
  const packed = isSetUp ? await packProject(session, flags) : await packFolder(session, flags);
  const { written, accepted, copiedBy, facts } = packed;
  const { text, ...figures } = packed.pack;
  const isPrinted = (flags.out === undefined && flags.copy !== true) || flags.show === true;
  return {
    document: {
      text,
      ...figures,
      ...facts,
      written,
      accepted: accepted || undefined,
      isCopied: copiedBy !== undefined,
    },
    text: isPrinted ? () => text : undefined,
    note: (style) =>
      describePacked({ ...packed, hasTask: flags.task !== undefined }, isPrinted, style),
  };
}

function describePacked(
  { pack, facts, written, copiedBy, accepted, hasTask }: Packed & { hasTask: boolean },
  isPrinted: boolean,
  style: Style,
): string {
  const lines = [
    ...written.map((path) => `wrote ${printable(path)}`),
    ...(copiedBy === undefined ? [] : [`copied by ${copiedBy}`]),
    ...(accepted === undefined ? [] : [`accepted ${accepted} as the base`]),
  ].map((line) => `${line}\n`);
  if (style.isTerminal)
    return `${renderPackSummary(pack, facts, style)}${describeUnnamed(facts.unnamed)}${lines.join("")}`;
  const unmatched = pack.isMatched || !hasTask ? "" : `ccl: ${describeUnmatched(pack)}\n`;
  // With the pack on a pipe, the files written beside it are not worth a line.
  return `${unmatched}${describeUnnamed(facts.unnamed)}${isPrinted ? "" : lines.join("")}`;
}

function requireSetUp(flags: PackFlags, isSetUp: boolean): void {
  if (flags.show === true && flags.accept === true) {
    throw new CliError("usage", "--show writes nothing, so it cannot be combined with --accept.");
  }
  const needing = flags.accept === true ? "--accept" : flags.base === true ? "--base" : undefined;
  if (needing !== undefined && !isSetUp) {
    throw new CliError("not_initialized", `${needing} needs a project. Run "ccl init" first.`);
  }
}

async function packFolder(session: Session, flags: PackFlags): Promise<Packed> {
  return await withScan(session, rulesOf(flags), async (registry) => {
    const packed = await buildPacked(session, flags, { registry });
    await deliver(packed, session, flags);
    return packed;
  });
}

async function packProject(session: Session, flags: PackFlags): Promise<Packed> {
  const { signal } = session;
  const matched = await matchedPaths(session, rulesOf(flags));
  return await withProject(session, { persist: flags.show !== true }, async (registry) => {
    const unnamed = await nameNewFiles(session, registry);
    const files = createContextFiles(registry);
    const view = matched === undefined ? registry : narrowed(registry, matched);
    const packed = await buildPacked(session, flags, { registry: view, files });
    packed.facts.unnamed = unnamed;
    if (flags.show !== true) packed.written.push(await files.writePack(packed.pack, { signal }));
    await deliver(packed, session, flags);
    // The base comes last: it advances only when the pack has reached its reader.
    if (flags.accept === true)
      packed.accepted = (await files.accept(packed.pack, { signal })).snapshot.id;
    return packed;
  });
}

const isSummaryRead = (session: Session): boolean => session.isJson || session.noteStyle.isTerminal;

async function buildPacked(
  session: Session,
  flags: PackFlags,
  source: PackSource,
): Promise<Packed> {
  const { pack, counter } = await buildProjectPack(session, flags, source);
  const rawTokens = isSummaryRead(session)
    ? await estimateRawTokens(source.registry, session.signal)
    : 0;
  return {
    pack,
    facts: { budget: flags.budget, counter: counter.name, rawTokens, unnamed: 0 },
    written: [],
  };
}

/** Brings the pack to where the flags want it, other than stdout. */
async function deliver(packed: Packed, session: Session, { out, copy }: PackFlags): Promise<void> {
  if (out !== undefined) packed.written.push(await writeOut(out, packed.pack.text, session));
  if (copy === true) packed.copiedBy = await copyToClipboard(packed.pack.text, session);
}

/** The registry with fewer names to choose from. */
function narrowed(registry: AliasRegistry, paths: ReadonlySet<string>): AliasRegistry {
  const { root, directory, isPersistent, cache } = registry;
  return {
    root,
    directory,
    isPersistent,
    cache,
    add: (alias, path, options) => registry.add(alias, path, options),
    remove: (alias) => registry.remove(alias),
    list: () => registry.list().filter((entry) => paths.has(entry.path)),
    resolve: (alias, options) => registry.resolve(alias, options),
    stat: async (options) => (await registry.stat(options)).filter((one) => paths.has(one.path)),
    verify: (options) => registry.verify(options),
    scan: (rules) => registry.scan(rules),
    close: () => registry.close(),
  };
}

function rulesOf({ include, ignore }: PackFlags): Pick<ScanRules, "include" | "ignore"> {
  return { include, ignore };
}
