import type { ChatMessage } from "@ccl/core";

import type { History } from "./analyze-history.ts";
import { assemblePrompt } from "./assemble-prompt.ts";
import { exceeded, findRequired, type Required } from "./find-required.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { FitPolicy } from "./fit-policy.ts";
import { type FrozenCut, droppedRanges } from "./fit-state.ts";
import type { HistoryUnit } from "./history-unit.ts";
import { readableText, textOf } from "./message-texts.ts";
import { type Block, type BlockReader, createBlockReader, findLimit } from "./tail-blocks.ts";
import { markerMessage, writeMarker } from "./write-marker.ts";

/** Tokens reserved for the shortest marker, with some to spare. */
const markerReserve = 24;
/** Minimum tokens of a shown result, as a share of the room, within these limits. */
const floorShare = 1 / 20;
const [smallestFloor, largestFloor] = [120, 400];
/** Results with fewer tokens are useless. */
const lowestFloor = 32;
const maxRounds = 8;
/** If a plan exceeds the room, the next one gives up the excess plus this share of the room, once per earlier plan. */
const overshoot = 0.02;
/** Maximum target of a plan, as a multiple of the room. */
const maxNominal = 3;
/** A plan is accepted if it leaves less than this share of its target unused. */
const goodEnough = 0.03;

/**
 * Chooses the content to keep: everything required, then the newest turns up to the goal set by `cutTo`, with their
 * large results shortened to a common limit. Results that the model has not read yet come first. Throws
 * `budget_exceeded` if the required messages do not fit.
 */
export function planCut(history: History, policy: FitPolicy): FrozenCut {
  const { units } = history;
  const required = findRequired(history, policy);
  const room = policy.usable - required.tokens;
  const floor = Math.min(largestFloor, Math.max(smallestFloor, Math.floor(room * floorShare)));
  const lastUser = units.findLast(({ kind }) => kind === "user");
  const query = textOf(lastUser?.messages[0]);
  const reader = createBlockReader(units, { policy, query, floor });
  const planner = new Planner(history, { policy, required, reader });
  const { cutTo } = planner;
  const goal = required.tokens + room * cutTo;
  let best: { cut: FrozenCut; tokens: number } | undefined;
  let extra = 0;
  // The largest target whose plan fitted, and the smallest whose plan did not fit.
  let [fitting, exceeding] = [-Infinity, Infinity];
  for (let round = 0; round < maxRounds; round++) {
    // Results are cut at line ends, so a plan for exactly the available room would leave some of it unused.
    const cut = planner.plan(Math.min(room * maxNominal, room * cutTo + extra));
    // If even the markers do not fit, they count as the excess.
    const tokens =
      cut === undefined
        ? policy.usable + markerReserve
        : assemblePrompt(history, { cut, policy }).tokens;
    if (cut !== undefined && tokens <= policy.usable && tokens > (best?.tokens ?? 0))
      best = { cut, tokens };
    const gap = Math.max(goal, Math.min(tokens, policy.usable)) - tokens;
    if (gap >= 0 && (gap < goal * goodEnough || planner.isWhole)) break;
    if (gap >= 0) fitting = Math.max(fitting, extra);
    else exceeding = Math.min(exceeding, extra);
    const next = extra + (gap >= 0 ? gap : gap - overshoot * room * round - 8);
    extra = next > fitting && next < exceeding ? next : (fitting + exceeding) / 2;
  }
  for (let round = 0; best !== undefined && round < maxRounds; round++) {
    const cut = planner.fill(best.cut, Math.floor(goal - best.tokens));
    const tokens = cut === undefined ? 0 : assemblePrompt(history, { cut, policy }).tokens;
    if (cut === undefined || tokens > goal || tokens <= best.tokens) break;
    best = { cut, tokens };
  }
  const cut = best?.cut ?? planner.planBare();
  if (cut !== undefined) return cut;
  throw exceeded({ ...required.breakdown, markers: markerReserve });
}

class Planner {
  readonly #history: History;
  readonly #policy: FitPolicy;
  readonly #required: Required;
  readonly #reader: BlockReader;
  /** Index of the unit that the model has not read yet, unless it is required anyway. Otherwise -1. */
  readonly #unread: number;
  /** Share of the room that a plan fills. 1 if the plan shortens results that the model has not read. */
  readonly cutTo: number;
  /** Lowered floors for a step with many results that only fit with those floors. */
  readonly #floors = new Map<Block, number>();
  /** True if the last plan neither drops nor shortens anything. */
  isWhole = false;

  constructor(
    history: History,
    { policy, required, reader }: { policy: FitPolicy; required: Required; reader: BlockReader },
  ) {
    this.#history = history;
    this.#policy = policy;
    this.#required = required;
    this.#reader = reader;
    const unread = findUnread(history.units);
    this.#unread = required.units.has(unread) ? -1 : unread;
    const tokens = history.units[this.#unread]?.tokens ?? 0;
    const tailRoom = (policy.usable - required.tokens) * policy.cutTo;
    this.cutTo = tokens > this.#sightShare(tailRoom) ? 1 : policy.cutTo;
  }

  /** Plans a cut whose tail takes about this many tokens. Returns undefined if even its markers do not fit. */
  plan(tailRoom: number): FrozenCut | undefined {
    const { usable } = this.#policy;
    const room = usable - this.#required.tokens;
    const texts = { ...this.#required.texts };
    this.#floors.clear();
    const unread = this.#showUnread(texts, tailRoom);
    const old = Math.max(tailRoom - unread, Math.min(room - unread, tailRoom / 4));
    let from = this.#findTail(old);
    const marks = from === 0 ? 0 : this.#markRoom(from, old);
    if (marks > 0) from = this.#findTail(Math.max(0, old - marks));
    this.#showTail(from, Math.max(0, old - marks), texts);
    this.isWhole = from === 0 && Object.keys(texts).length === 0;
    return this.#freeze(from, texts);
  }

  /** Assigns the unused room of a cut to the result that was shortened the furthest. */
  fill(cut: FrozenCut, spare: number): FrozenCut | undefined {
    const { units } = this.#history;
    const { meter } = this.#policy;
    const shown = ({ key, message }: Block): number =>
      meter.of({ role: message.role, content: cut.texts[key] ?? "" });
    const missing = (block: Block): number => block.tokens - shown(block);
    const [first, ...others] = units
      .flatMap((unit, at) => [...this.#reader.of(unit, units.length - 1 - at)])
      .filter((block) => {
        const text = cut.texts[block.key];
        if (block.reference !== undefined || text === undefined) return false;
        // Without its image, a result shows all of its text.
        return text !== readableText(block.message) || missing(block) <= spare;
      });
    if (first === undefined || spare <= 0) return undefined;
    const block = others.reduce(
      (largest, next) => (missing(next) > missing(largest) ? next : largest),
      first,
    );
    const { [block.key]: _, ...texts } = cut.texts;
    const text = this.#reader.show(block, shown(block) + spare);
    return { ...cut, texts: text === undefined ? texts : { ...texts, [block.key]: text } };
  }

  /** Plans to keep only the required messages and the shortest markers. */
  planBare(): FrozenCut | undefined {
    return this.#freeze(this.#history.units.length, { ...this.#required.texts });
  }

  /** Returns the room for the facts of dropped messages. The room is small if they contain no calls. */
  #markRoom(from: number, room: number): number {
    const { keptFactsTokens, summaryOf } = this.#policy;
    const { units } = this.#history;
    const hasCalls = units.slice(0, from).some(({ kind }) => kind === "calls");
    const facts = hasCalls || summaryOf !== undefined ? keptFactsTokens : keptFactsTokens / 8;
    return Math.min(room / 2, facts) + markerReserve * (this.#required.units.size + 1);
  }

  /** Shows results that the model has not read yet as fully as possible. Returns their token count. */
  #showUnread(texts: Record<string, string>, tailRoom: number): number {
    const unit = this.#history.units[this.#unread];
    if (unit === undefined) return 0;
    const share = this.#sightShare(tailRoom);
    if (unit.tokens <= share) return unit.tokens;
    const blocks = this.#reader.of(unit, 0);
    const rigid = unit.tokens - addUp(blocks, ({ tokens }) => tokens);
    const floor = Math.floor((share - rigid) / blocks.length);
    for (const block of blocks) this.#floors.set(block, Math.min(block.floor, floor));
    const limit = findLimit(this.#sizesOf(blocks), share - rigid);
    return rigid + this.#showBlocks(blocks, limit, texts);
  }

  /**
   * Returns the token limit for results that the model has not read yet: their share, or the room left by all others.
   */
  #sightShare(tailRoom: number): number {
    const room = this.#policy.usable - this.#required.tokens - markerReserve * 2;
    const otherRoom = Math.min(room, tailRoom - this.#othersTokens(room));
    return Math.max(room * this.#policy.firstSight, otherRoom);
  }

  /**
   * Returns the tokens of all units that are neither required nor unread. Counts repeated results as references. Stops
   * above `enough`.
   */
  #othersTokens(enough: number): number {
    const { units } = this.#history;
    let tokens = 0;
    for (const [at, unit] of units.entries()) {
      if (this.#isKeptAnyway(at)) continue;
      const repeats = this.#reader
        .of(unit, units.length - 1 - at)
        .filter(({ reference }) => reference !== undefined);
      tokens += unit.tokens - addUp(repeats, (block) => block.tokens - this.#sizeOf(block));
      if (tokens > enough) break;
    }
    return tokens;
  }

  /** Finds the first unit of the longest tail that fits when each of its results is at its floor. */
  #findTail(room: number): number {
    const { units } = this.#history;
    if (this.#fitsWithoutLoss(room)) return 0;
    let used = 0;
    let from = units.length;
    for (let at = units.length - 1; at >= 0; at--) {
      const unit = units[at];
      if (unit !== undefined && !this.#isKeptAnyway(at)) {
        const blocks = this.#reader.of(unit, units.length - 1 - at);
        used += unit.tokens - addUp(blocks, ({ tokens, floor }) => Math.max(0, tokens - floor));
        const isLowered = used > room && this.#lowerFloor(blocks, room - used);
        if (used > room && !isLowered) break;
      }
      from = at;
    }
    return Math.min(from, this.#unread < 0 ? from : this.#unread);
  }

  /** Lowers the floor if one step has many results and room would otherwise stay empty. */
  #lowerFloor(blocks: readonly Block[], room: number): boolean {
    const blockRoom = room + addUp(blocks, ({ tokens, floor }) => Math.min(tokens, floor));
    const floor = Math.floor(blockRoom / blocks.length);
    if (blocks.length === 0 || floor < lowestFloor) return false;
    for (const block of blocks) this.#floors.set(block, Math.min(block.floor, floor));
    return true;
  }

  #floorOf(block: Block): number {
    return this.#floors.get(block) ?? block.floor;
  }

  #fitsWithoutLoss(room: number): boolean {
    // No lossless text saves that much, and writing all of them is slow.
    if (this.#othersTokens(4 * room) > 4 * room) return false;
    const { units } = this.#history;
    let used = 0;
    for (const [at, unit] of units.entries()) {
      if (this.#isKeptAnyway(at)) continue;
      const saved = addUp(
        this.#reader.of(unit, units.length - 1 - at),
        (block) => block.tokens - this.#sizeOf(block),
      );
      used += unit.tokens - saved;
      if (used > room) return false;
    }
    return true;
  }

  #isKeptAnyway(unit: number): boolean {
    return unit === this.#unread || this.#required.units.has(unit);
  }

  #showTail(from: number, room: number, texts: Record<string, string>): void {
    const { units } = this.#history;
    const tail = units
      .slice(from)
      .flatMap((unit, at) =>
        this.#isKeptAnyway(from + at) ? [] : [{ unit, age: units.length - 1 - from - at }],
      );
    const blocks = tail.flatMap(({ unit, age }) => [...this.#reader.of(unit, age)]);
    const rigid = addUp(tail, ({ unit }) => unit.tokens) - addUp(blocks, ({ tokens }) => tokens);
    const blockRoom = room - rigid;
    if (addUp(blocks, ({ tokens }) => tokens) <= blockRoom) return;
    const sizes = this.#sizesOf(blocks);
    const spare = blockRoom - addUp(sizes, ({ size }) => size);
    if (spare >= 0) this.#showLossless(blocks, spare, texts);
    else this.#showBlocks(blocks, findLimit(sizes, blockRoom), texts);
  }

  #sizesOf(blocks: readonly Block[]): { size: number; floor: number; weight: number }[] {
    return blocks.map((block) => ({
      size: this.#sizeOf(block),
      floor: this.#floorOf(block),
      weight: block.weight,
    }));
  }

  #sizeOf(block: Block): number {
    const { reference } = block;
    if (reference === undefined) return this.#reader.lossless(block).tokens;
    const { meter } = this.#policy;
    return reference.includes("\n")
      ? meter.of({ role: block.message.role, content: reference })
      : markerReserve;
  }

  /** Called if all blocks fit as lossless texts. Shows the newest in their original form while there is room. */
  #showLossless(blocks: readonly Block[], spare: number, texts: Record<string, string>): void {
    let remaining = spare;
    for (const block of blocks.toReversed()) {
      const more = block.tokens - this.#sizeOf(block);
      if (more <= remaining) remaining -= more;
      else texts[block.key] = block.reference ?? this.#reader.lossless(block).text;
    }
  }

  #showBlocks(
    blocks: readonly Block[],
    limitOf: (block: Block) => number,
    texts: Record<string, string>,
  ): number {
    const { meter } = this.#policy;
    return addUp(blocks, (block) => {
      const limit = limitOf({ ...block, floor: this.#floorOf(block) });
      const text = this.#reader.show(block, limit);
      if (text === undefined) return block.tokens;
      texts[block.key] = text;
      return meter.of({ role: block.message.role, content: text });
    });
  }

  #freeze(from: number, texts: Record<string, string>): FrozenCut | undefined {
    const { units } = this.#history;
    const policy = this.#policy;
    const keptUnits = [...this.#required.units].filter((unit) => unit < from).sort((a, b) => a - b);
    const ranges = droppedRanges(from, keptUnits);
    const bare = {
      from,
      kept: keptUnits,
      markers: ranges.map(() => ""),
      texts,
      anchor: anchorOf(this.#history, from),
    };
    if (ranges.length === 0) return bare;
    const shown = assemblePrompt(this.#history, { cut: bare, policy });
    const empty = policy.meter.of(markerMessage("")) * ranges.length;
    let remaining = policy.usable - (shown.tokens - empty);
    let used = 0;
    const { tokens } = this.#required;
    const goal = tokens + (policy.usable - tokens) * this.cutTo;
    const seen = wordsOf(shown.messages);
    const markers: string[] = [];
    for (const [place, range] of [...ranges.entries()].reverse()) {
      const free = Math.max(0, goal - shown.tokens - used) / (place + 1);
      const facts = Math.max(policy.keptFactsTokens, Math.floor(free));
      const maxTokens = Math.min(remaining - place * markerReserve, facts * 2);
      const text = writeMarker(units, range, { policy, seen, maxTokens, facts });
      used += policy.meter.of(markerMessage(text));
      remaining -= policy.meter.of(markerMessage(text));
      markers.unshift(text);
    }
    return remaining < 0 ? undefined : { ...bare, markers };
  }
}

/**
 * Finds the unit of calls whose results are not followed by an assistant message. Returns -1 if the model has seen all
 * results.
 */
function findUnread(units: readonly HistoryUnit[]): number {
  const last = units.findLastIndex(({ kind }) => kind === "calls" || kind === "assistant");
  return units[last]?.kind === "calls" ? last : -1;
}

/** Returns the fingerprint of the last unit before the cut. It identifies the history to which the cut belongs. */
export function anchorOf({ units }: History, from: number): string {
  return (units[from - 1]?.messages ?? []).map(fingerprintOf).join(" ");
}

const longestScan = 64_000;

/** Returns the words that a prompt shows anyway, starting from the newest messages, up to a length limit. */
function wordsOf(messages: readonly ChatMessage[]): Set<string> {
  const words = new Set<string>();
  let scanned = 0;
  for (let at = messages.length - 1; at >= 0 && scanned < longestScan; at--) {
    const message = messages[at];
    const text = [textOf(message), ...(message?.toolCalls ?? []).map((call) => call.arguments)]
      .join("\n")
      .slice(0, longestScan);
    scanned += text.length;
    for (const word of text.split(/[\s,;|"=:(){}[\]\\]+/)) words.add(word);
  }
  return words;
}

function addUp<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
