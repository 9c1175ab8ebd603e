import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { callListener } from "@ccl/core/events";

import { AliasesError } from "../aliases-error.ts";
import { rankInDetail, type DetailedRanking } from "../rank/rank-files.ts";
import { buildFrame, instructionOf } from "./build-frame.ts";
import { orderByWorth, type Pick } from "./choose-lines.ts";
import { createCaps, isCardKind, type Caps } from "./pack-caps.ts";
import {
  countFile,
  mapOf,
  renderPack,
  type Composed,
  type Composition,
  type RenderedPack,
} from "./compose-pack.ts";
import { buildCards, buildOverview } from "./file-summaries.ts";
import { renderSlice } from "./render-slice.ts";
import { renderBareInstruction, renderSections } from "./render-pack.ts";
import type { Pack, PackOmission, PackOptions } from "./pack.ts";

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
function fit(picks: readonly Pick[], { composition, usable, room, isWhole }: Fitting): Composed {
  const { counter } = composition;
  const costs = (pick: Pick): number => costOf(pick, composition);
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
function costOf(pick: Pick, { counter, options }: Composition): number {
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
function takeWithin(picks: readonly Pick[], limit: number, costs: (pick: Pick) => number): Pick[] {
  const taken: Pick[] = [];
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
    taken.push(pick);
    seen.add(pick.source);
    if (pick.outline !== undefined || coversWholeFile(pick)) whole.add(pick.source);
  }
  return taken;
}

function coversWholeFile({ source, ranges = [] }: Pick): boolean {
  return ranges.some(([first, last]) => first === 1 && last === source.lines.length);
}
