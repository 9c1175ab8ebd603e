import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { callListener } from "@ccl/core/events";
import { AliasesError } from "../aliases-error.ts";
import { rankInDetail, type DetailedRanking, type ReadFile } from "../rank/rank-files.ts";
import { orderByWorth, type Pick as PickedPart } from "./choose-lines.ts";
import { createCaps, isCardKind, type Caps } from "./pack-caps.ts";
import {
  countFile,
  mapOf,
  renderPack,
  type Composed,
  type Composition,
  type RenderedPack,
} from "./compose-pack.ts";
import { renderSlice } from "./render-slice.ts";
import { renderBareInstruction, renderSections, type PackParts } from "./render-pack.ts";
import type { Pack, PackOmission, PackOptions } from "./pack.ts";
import { computeDelta } from "../delta/compute-delta.ts";
import { describeChanges, fitLines } from "../delta/render-delta.ts";
import type { Delta } from "../delta/snapshot.ts";
import { takeSnapshot } from "../delta/take-snapshot.ts";
import { buildCard } from "../card/build-card.ts";
import { buildOutline } from "../outline/build/build-outline.ts";

/** Upper bound for code. If the whole project fits the budget, every file is read. */
const MAX_CHARS_PER_TOKEN = 6;
/**
 * Shares for the map and for the names of files that are not shown in any other way. Larger packs
 * do not need larger ones, so their tokens are capped.
 */
const MAP_SHARE = 0.06;
const MAX_MAP_TOKENS = 480;
const NAMES_SHARE = 0.05;
const MAX_NAMES_TOKENS = 400;
const CARDS_SHARE = 0.15;
/** Maximum number of rounds that fill the room that rendering left unused. */
const MAX_ROUNDS = 6;
/** Minimum number of unused tokens that justifies another round. */
const WORTH_A_ROUND = 24;
/** Tokens that a picked range may cost in addition to its lines, for a mark or a header. */
const MARK_TOKENS = 8;
const HEADER_TOKENS = 16;

/**
 * Packs a project for a task: a map, then the files by rank with the lines that the task is likely
 * to need, then the names of the next files. The text, as counted by `counter`, never exceeds the
 * budget.
 * @throws AliasesError `budget_exceeded` if not even the instruction fits, `aborted`, `io_failed`
 */
export async function buildPack(options: PackOptions): Promise<Pack> {
  const { budget, registry } = options;
  const counter = countOnce(options.counter ?? estimatedCounter);
  const usable = Math.floor(budget * (counter.isExact ? 1 : 0.9));
  requireInstruction(options, { counter, usable });
  const ranking = await rankInDetail(options, {
    readChars: usable * MAX_CHARS_PER_TOKEN,
  });
  const frame = await buildFrame(options, { counter, usable });
  const isMatched = ranking.files.some(({ matched }) => matched.length > 0);
  const hasWords = isMatched || ranking.read.some(({ isFocus }) => isFocus);
  const bare = counter.count(
    renderSections(frame)
      .map(({ text }) => text)
      .join(""),
  );
  const room = usable - bare;
  const isWhole = fitsWhole(ranking, { counter, room, caps: createCaps(options.caps) });
  const cards = isWhole
    ? []
    : await buildCards(ranking, {
        caps: createCaps(options.caps),
        counter,
        signal: options.signal,
        room: room * CARDS_SHARE,
      });
  const files = ranking.read.filter((source) => isWhole || source.isFocus || !isCardKind(source));
  const shown = hasWords || isWhole ? orderByWorth(files) : await buildOverview(files, options);
  const picks = [...cards, ...shown];
  const map = mapOf(ranking.files, Math.min(room * MAP_SHARE, MAX_MAP_TOKENS), counter);
  const composition: Composition = { ranking, frame, map, counter, options };
  const fitted = fit(picks, { composition, usable, room, isWhole });
  await registry.cache.flush();
  callListener(options.onEvent, {
    type: "fitted",
    done: fitted.entries.length,
    total: ranking.files.length,
  });
  const { unmatched } = ranking;
  return { ...fitted, omitted: [...fitted.omitted, ...ranking.omitted], unmatched, isMatched };
}

/** Creates a counter that caches its counts. A file that fits is counted alone first, then as an entry of the pack. */
function countOnce(counter: TokenCounter): TokenCounter {
  const counted = new Map<string, number>();
  return {
    name: counter.name,
    isExact: counter.isExact,
    count(text) {
      const tokens = counted.get(text) ?? counter.count(text);
      counted.set(text, tokens);
      return tokens;
    },
  };
}

interface Target {
  counter: TokenCounter;
  usable: number;
}

function requireInstruction(options: PackOptions, { counter, usable }: Target): void {
  const needed = counter.count(renderBareInstruction(instructionOf(options), options.style));
  if (needed <= usable) return;
  throw new AliasesError(
    "budget_exceeded",
    `The instruction alone takes ${needed} tokens, the budget of ${options.budget} leaves ${usable}; shorten the task or raise the budget.`,
    { details: { budget: options.budget, usable, breakdown: { INSTRUCTION: needed } } },
  );
}

/** True if all files fit in full, within the room and within their caps. */
function fitsWhole(
  { read, files }: DetailedRanking,
  { counter, room, caps }: { counter: TokenCounter; room: number; caps: Caps },
): boolean {
  if (read.length < files.length) return false;
  let left = room;
  return read.every(({ lines, file }) => {
    const tokens = countFile({ ...file, detail: "" }, lines.join("\n"), counter);
    left -= tokens;
    return left >= 0 && caps.spend(file.alias, tokens);
  });
}

interface Fitting {
  composition: Composition;
  usable: number;
  room: number;
  /** True if all picks are known to fit. */
  isWhole: boolean;
}

/** Takes picks while they fit, renders and counts the result, then corrects the estimate's error. */
function fit(
  picks: readonly PickedPart[],
  { composition, usable, room, isWhole }: Fitting,
): Composed {
  const { counter } = composition;
  const costs = (pick: PickedPart): number => costOf(pick, composition);
  const names = Math.min(room * NAMES_SHARE, MAX_NAMES_TOKENS);
  let limit = room - Math.min(room * MAP_SHARE, MAX_MAP_TOKENS) - names;
  let left = room;
  if (isWhole || picks.every((pick) => (left -= costs(pick)) >= 0)) {
    const all = renderPack(picks, 0, composition);
    if (all.tokens <= usable) return all.describe();
  }
  let best: RenderedPack | undefined;
  for (let round = 0; round < MAX_ROUNDS && limit > 0; round += 1) {
    const rendered = renderPack(takeWithin(picks, limit, costs), names, composition);
    const unused = usable - rendered.tokens;
    if (unused >= 0 && rendered.tokens > (best?.tokens ?? 0)) best = rendered;
    if (unused >= 0 && unused <= WORTH_A_ROUND) break;
    limit += unused < 0 ? unused - WORTH_A_ROUND / 2 : unused;
  }
  if (best !== undefined) return best.describe();
  const smallest = renderPack([], 0, { ...composition, map: undefined });
  return smallest.tokens <= usable ? smallest.describe() : onlyInstruction(composition, counter);
}

function onlyInstruction({ ranking, frame }: Composition, counter: TokenCounter): Composed {
  const text = renderBareInstruction(frame.task, frame.style);
  const tokens = counter.count(text);
  const omitted = ranking.files.map((file): PackOmission => ({
    ...file,
    reason: "budget",
  }));
  return { text, tokens, sections: [{ name: "INSTRUCTION", tokens }], entries: [], omitted };
}

/** Counts the tokens that a pick costs. */
function costOf(pick: PickedPart, { counter, options }: Composition): number {
  const { source, ranges = [], outline } = pick;
  const own = outline ?? ranges.map(([a, b]) => numbered(source.lines, a, b, options)).join("\n");
  return counter.count(`${own}\n`);
}

function numbered(
  lines: readonly string[],
  first: number,
  last: number,
  { lineNumbers }: PackOptions,
): string {
  const shown = lines.slice(first - 1, last);
  return renderSlice({ path: "", lines: shown, isShown: () => true, lineNumbers });
}

/** Takes picks in order, skipping those that do not fit. */
function takeWithin(
  picks: readonly PickedPart[],
  limit: number,
  costs: (pick: PickedPart) => number,
): PickedPart[] {
  const included: PickedPart[] = [];
  const whole = new Set<unknown>();
  const seen = new Set<unknown>();
  let left = limit;
  for (const pick of picks) {
    // Not even a mark would fit, so do not count the remaining picks.
    if (left < MARK_TOKENS) break;
    if (whole.has(pick.source)) continue;
    const cost = costs(pick) + (seen.has(pick.source) ? MARK_TOKENS : HEADER_TOKENS + MARK_TOKENS);
    if (cost > left) continue;
    left -= cost;
    included.push(pick);
    seen.add(pick.source);
    if (pick.outline !== undefined || coversWholeFile(pick)) whole.add(pick.source);
  }
  return included;
}

function coversWholeFile({ source, ranges = [] }: PickedPart): boolean {
  return ranges.some(([first, last]) => first === 1 && last === source.lines.length);
}

/** Maximum share of the budget for the lines in [DELTA]. */
const DELTA_SHARE = 0.3;

/** Builds everything except the files: the state's id, the task, and the changes since the base. */
async function buildFrame(
  options: PackOptions,
  target: { counter: TokenCounter; usable: number },
): Promise<PackParts> {
  const { registry, base, signal } = options;
  // A base stores the texts that the model has seen. Only those are compared in words.
  const texts = Object.entries(base?.entries ?? {}).flatMap(([alias, { text }]) =>
    text === undefined ? [] : [alias],
  );
  const current = await takeSnapshot({ registry, texts, signal });
  return {
    style: options.style,
    map: undefined,
    blocks: [],
    names: [],
    contextId: current.id,
    version: options.version ?? { accepted: 0, deltas: 0, repairs: 0 },
    missing: 0,
    attachments: options.attachments ?? [],
    task: instructionOf(options),
    delta: base && fitDelta(await computeDelta(base, current), target),
  };
}

/** Returns the instruction for the model: the user's rules and the task. */
function instructionOf({ instructions, task }: PackOptions): string {
  return instructions === undefined ? task : `${instructions.trimEnd()}\n\n${task}`;
}

/** Renders the base, then one line per change until the share is used up. */
function fitDelta(
  { baseId, changes }: Delta,
  { counter, usable }: { counter: TokenCounter; usable: number },
): string[] {
  const lines = [`BASE: ${baseId}`, ...describeChanges(changes)];
  return fitLines(lines, (shown) => counter.count(shown.join("\n")) <= usable * DELTA_SHARE);
}

interface CardOptions {
  caps: Caps;
  counter: TokenCounter;
  /** Maximum tokens of all cards combined. */
  room: number;
  signal?: AbortSignal | undefined;
}

/** Builds cards of decisions, option matrices and profiles, best first, within their caps. */
async function buildCards(
  { read }: Pick<DetailedRanking, "read">,
  { caps, counter, room, signal }: CardOptions,
): Promise<PickedPart[]> {
  const cards: PickedPart[] = [];
  let left = room;
  for (const source of read) {
    if (!isCardKind(source) || source.isFocus) continue;
    const { alias, path } = source.file;
    const { text } = await buildCard({ alias, path, text: source.lines.join("\n") }, { signal });
    const tokens = counter.count(`=== ${path} ${alias}, card\n${text}\n`);
    if (text === "" || tokens > left || !caps.spend(alias, tokens)) continue;
    left -= tokens;
    cards.push({ source, outline: text });
  }
  return cards;
}

const MAX_OVERVIEW_FILES = 60;

/**
 * Builds an overview for a task that matches no words. Declarations without bodies are then more
 * useful than a few random bodies.
 */
async function buildOverview(
  files: readonly ReadFile[],
  { signal }: Pick<PackOptions, "signal">,
): Promise<PickedPart[]> {
  const picks: PickedPart[] = [];
  for (const source of files.slice(0, MAX_OVERVIEW_FILES)) {
    const outline = await buildOutline(
      { path: source.file.path, text: source.lines.join("\n") },
      { signal },
    );
    const { text, unread } = outline;
    if (text !== "") picks.push({ source, outline: text, unread });
  }
  return picks;
}
