import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";

import { AliasesError } from "../aliases-error.ts";
import { computeDelta } from "../delta/compute-delta.ts";
import { snapshotId } from "../delta/snapshot-id.ts";
import type { SnapshotEntry } from "../delta/snapshot.ts";
import { rankFiles } from "../rank/rank-files.ts";
import { createTaskCounter } from "../rank/task-words.ts";
import type { AliasStat } from "../registry/alias-registry.ts";
import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { FileFacts } from "./file-facts.ts";
import { buildForms, type FileForm } from "./file-forms.ts";
import { fitForms } from "./fit-forms.ts";
import { createKeptPacks, type KeptPacks } from "./kept-packs.ts";
import { createFileReader, surveyFiles, type FileReader, type PackFile } from "./pack-file.ts";
import type { Pack, PackEntry, PackOmission, PackOptions } from "./pack.ts";
import {
  compareBlocks,
  deltaLines,
  renderBareInstruction,
  renderBlock,
  renderHeader,
  renderSections,
  type PackParts,
} from "./render-pack.ts";
import { shortenBodies } from "./shorten-bodies.ts";

/** What all decisions and all option matrices may take, in tokens; the rest share the budget. */
const DEFAULT_CAPS: Record<string, number> = { A: 300, P: 200 };
/** No single file takes more of the budget than this, unless its prefix has a cap of its own. */
const FILE_SHARE = 0.25;
/** Share of the budget that the lines of [DELTA] may take. */
const DELTA_SHARE = 0.3;
/** A file costs at least this much, so that a budget bounds how many are worth looking into. */
const MIN_TOKENS_PER_FILE = 24;
const MIN_TOKENS_FOR_SIGNATURES = 80;
const MIN_TOKENS_FOR_FULL = 160;

/**
 * Packs a project for a task: each named file at the level that its rank and the budget allow, in an order that does
 * not depend on the task. The text never exceeds the budget, as counted by `counter`.
 * @throws AliasesError `budget_exceeded` when not even the instruction fits, `aborted`, `io_failed`.
 */
export async function buildPack(options: PackOptions): Promise<Pack> {
  const { registry, signal, counter = estimatedCounter } = options;
  const stats = await registry.stat(signal && { signal });
  if (!("open" in counter)) return await packStats(stats, { options, counter });
  const packs = createKeptPacks(registry.cache, { options, counter, stats });
  const kept = packs.recall();
  if (kept !== undefined) return kept;
  return await packStats(stats, { options, counter: await counter.open(), packs });
}

interface Packing {
  options: PackOptions;
  counter: TokenCounter;
  /** Where the pack is kept for the next time. */
  packs?: KeptPacks | undefined;
}

async function packStats(stats: AliasStat[], { options, counter, packs }: Packing): Promise<Pack> {
  const margin = counter.isExact ? 0 : (options.safetyMargin ?? 0.1);
  const usable = Math.floor(options.budget * (1 - margin));
  requireInstruction(options, { counter, usable });
  const reader = createFileReader(options);
  const countTaskWords = createTaskCounter(options.task);
  const job = { options, counter, usable, reader, countTaskWords };
  const { facts, omitted } = await surveyFiles(stats, { ...options, reader });
  const offers = await offerForms(await rank(facts, options), job);
  const frame = await buildFrame(stats, job);
  const fitted = fit(offers, { frame, counter, usable, options });
  const pack = { ...fitted, omitted: [...fitted.omitted, ...omitted] };
  // A file that changed meanwhile stands in the pack with a content that `stats` does not have.
  if (options.registry.isPersistent && !reader.hasSeenChange) packs?.keep(pack);
  await options.registry.cache.flush();
  return pack;
}

interface Offer {
  /** A file that is not worth a look is known by its name alone. */
  file: Pick<PackFile, "alias" | "path" | "sha8">;
  weight: number;
  forms: FileForm[];
  group: string;
}

interface Target {
  counter: TokenCounter;
  usable: number;
}

interface Job extends Target {
  countTaskWords: (text: string) => number;
  options: PackOptions;
  reader: FileReader;
}

function requireInstruction(options: PackOptions, { counter, usable }: Target): void {
  const needed = counter.count(renderBareInstruction(options.task));
  if (needed <= usable) return;
  throw new AliasesError(
    "budget_exceeded",
    `The instruction alone takes ${needed} tokens, the budget of ${options.budget} leaves ${usable}; shorten the task or raise the budget.`,
    { details: { budget: options.budget, usable, breakdown: { INSTRUCTION: needed } } },
  );
}

/** Files, best first. */
async function rank(facts: FileFacts[], options: PackOptions): Promise<FileFacts[]> {
  const wanted = new Set(options.focus);
  const focus = facts.flatMap((file, position) =>
    wanted.has(file.alias) || wanted.has(file.path) ? [position] : [],
  );
  const scores = await rankFiles(facts, { task: options.task, focus });
  const profile = options.profile ?? onlyProfile(facts);
  return facts
    .map((file, position) => ({
      file,
      score: (scores[position] ?? 0) + (file.alias === profile ? 10 : 0),
    }))
    .sort((a, b) => b.score - a.score || (a.file.alias < b.file.alias ? -1 : 1))
    .map(({ file }) => file);
}

function onlyProfile(facts: FileFacts[]): string | undefined {
  const profiles = facts.filter((file) => file.alias.startsWith("PR."));
  return profiles.length === 1 ? profiles[0]?.alias : undefined;
}

async function offerForms(ranked: FileFacts[], job: Job): Promise<Offer[]> {
  const { options, usable } = job;
  const total = Math.min(ranked.length, Math.ceil(usable / MIN_TOKENS_PER_FILE));
  const offers: Offer[] = [];
  for (const [place, facts] of ranked.entries()) {
    const { alias, path, sha256 } = facts;
    const nameless = { file: { alias, path, sha8: sha256.slice(0, 8) }, forms: [] };
    const shown = place < total ? await offerFile(facts, place, job) : nameless;
    offers.push({
      ...(shown ?? nameless),
      weight: weightOfPlace(place),
      group: aliasPrefix(alias),
    });
    if (place >= total) continue;
    throwIfAborted(options.signal, AliasesError);
    callListener(options.onEvent, { type: "files_outlined", done: place + 1, total });
  }
  return offers;
}

/** Undefined when the file has gone since the survey. */
async function offerFile(
  facts: FileFacts,
  place: number,
  { options, counter, usable, reader, countTaskWords }: Job,
): Promise<Pick<Offer, "file" | "forms"> | undefined> {
  const file = await reader.read(facts);
  if (file === undefined) return undefined;
  const forms = await buildForms(file, {
    counter,
    countTaskWords,
    cache: options.registry.cache,
    capTokens: capsOf(options)[aliasPrefix(file.alias)] ?? Math.ceil(usable * FILE_SHARE),
    depth: {
      hasSignatures: place * MIN_TOKENS_FOR_SIGNATURES < usable,
      hasFull: place * MIN_TOKENS_FOR_FULL < usable,
    },
    signal: options.signal,
  });
  return { file, forms };
}

function capsOf(options: PackOptions): Record<string, number> {
  return { ...DEFAULT_CAPS, ...options.caps };
}

/** How likely the file at a place of the ranking is needed, relative to the others. */
function weightOfPlace(place: number): number {
  return 1 / (place + 6);
}

/** Everything but the files. */
async function buildFrame(stats: AliasStat[], job: Job): Promise<PackParts> {
  const { options, reader } = job;
  const known = new Map(Object.entries(options.base?.entries ?? {}));
  const entries: Record<string, SnapshotEntry> = {};
  for (const stat of stats) {
    const { alias, path, sha256 } = stat;
    if (sha256 === undefined) continue;
    const before = known.get(alias);
    // A base keeps the texts of what the model was shown; only those are compared in words.
    const text = before?.text === undefined ? undefined : await textOf(stat, { before, reader });
    entries[alias] = { path, sha256, text };
  }
  const current = { id: snapshotId(entries), entries };
  return {
    blocks: [],
    contextId: current.id,
    version: options.version ?? { accepted: 0, deltas: 0, repairs: 0 },
    missing: 0,
    legend: "",
    task: options.task,
    delta: options.base && fitDelta(deltaLines(await computeDelta(options.base, current)), job),
  };
}

async function textOf(
  stat: AliasStat,
  { before, reader }: { before: SnapshotEntry; reader: FileReader },
): Promise<string | undefined> {
  return before.sha256 === stat.sha256 ? before.text : (await reader.read(stat))?.text;
}

function fitDelta(lines: string[], { counter, usable }: Target): string[] {
  const limit = usable * DELTA_SHARE;
  let tokens = 0;
  for (const [index, line] of lines.entries()) {
    tokens += counter.count(`${line}\n`);
    if (tokens > limit && index > 0)
      return [...lines.slice(0, index), `... +${lines.length - index} changes`];
  }
  return lines;
}

interface Fitting extends Target {
  frame: PackParts;
  options: PackOptions;
}

/** Fits the forms, renders and counts the whole: less is tried while it is over, more once when much is left. */
function fit(offers: Offer[], target: Fitting): Pack {
  const { frame, counter, usable, options } = target;
  const bare = renderSections({ ...frame, missing: offers.length });
  const groups = capsOf(options);
  const attempt = (tokens: number): Pack =>
    render(offers, fitForms(offers, { tokens, groups }), target);
  let capacity = usable - counter.count(bare.map((section) => section.text).join(""));
  while (capacity >= 0) {
    const pack = attempt(capacity);
    if (pack.tokens <= usable) {
      const larger =
        usable - pack.tokens > WORTH_ANOTHER_TRY ? attempt(capacity + usable - pack.tokens) : pack;
      return larger.tokens <= usable ? larger : pack;
    }
    capacity -= pack.tokens - usable;
  }
  return packInstruction(offers, target);
}

/** Tokens that a vocabulary or merged line ends left over. */
const WORTH_ANOTHER_TRY = 30;

function packInstruction(offers: Offer[], { frame, counter }: Fitting): Pack {
  const text = renderBareInstruction(frame.task);
  const tokens = counter.count(text);
  const omitted = offers.map(({ file }): PackOmission => ({
    alias: file.alias,
    path: file.path,
    reason: "budget",
  }));
  return { text, tokens, sections: [{ name: "INSTRUCTION", tokens }], entries: [], omitted };
}

interface Shown {
  file: Offer["file"];
  form: FileForm;
}

function render(offers: Offer[], chosen: number[], target: Fitting): Pack {
  const { frame, counter, options } = target;
  const shown = offers
    .flatMap(({ file, forms }, index): Shown[] => {
      const form = forms[chosen[index] ?? -1];
      return form === undefined ? [] : [{ file, form }];
    })
    .sort((a, b) => compareBlocks(a.file, b.file));
  const { bodies, legend } = shortenBodies(
    shown.map(({ form }) => form.body),
    {
      counter,
      vocabulary: options.vocabulary ?? {},
      verbatim: [options.task, ...shown.map(({ file }) => renderHeader(file))],
    },
  );
  const blocks = shown.map(({ file, form }, index) =>
    renderBlock(file, { ...form, body: bodies[index] ?? form.body }),
  );
  const sections = renderSections({
    ...frame,
    legend,
    blocks,
    missing: offers.length - shown.length,
  });
  const text = sections.map((section) => section.text).join("");
  return {
    text,
    tokens: counter.count(text),
    sections: sections.map((section) => ({
      name: section.name,
      tokens: counter.count(section.text),
    })),
    entries: shown.map(toEntry),
    omitted: omissions(offers, chosen, options),
  };
}

function toEntry({ file, form }: Shown): PackEntry {
  const { alias, path, sha8 } = file;
  return { alias, path, level: form.level, sha8, tokens: form.tokens, isCut: form.isCut };
}

/** What is left out, best first; a file of a group whose cap is spent is left out for its cap. */
function omissions(offers: Offer[], chosen: number[], options: PackOptions): PackOmission[] {
  const left: Record<string, number> = capsOf(options);
  for (const [index, { group, forms }] of offers.entries()) {
    const cap = left[group];
    if (cap !== undefined) left[group] = cap - (forms[chosen[index] ?? -1]?.tokens ?? 0);
  }
  return offers.flatMap(({ file, forms, group }, index): PackOmission[] => {
    if ((chosen[index] ?? -1) >= 0) return [];
    const cheapest = Math.min(...forms.map((form) => form.tokens));
    const isCapped = cheapest > (left[group] ?? Number.POSITIVE_INFINITY);
    return [{ alias: file.alias, path: file.path, reason: isCapped ? "cap" : "budget" }];
  });
}
