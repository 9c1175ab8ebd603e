import { identifiersOf, type KnownContent } from "@ccl/compress";
import { sha256Hex } from "@ccl/core";

import { isReader, type OwnText, ownText, refersToEarlier } from "../history/client-tools.ts";
import { type HistoryItem, promptEnds } from "../history/history-item.ts";
import { promptPrice } from "../price/cache-price.ts";
import type { Decision, GatewayMode, PlanOptions, ShownResult } from "./plan-options.ts";
import { type ResultToShow, showNew, showOld } from "./show-result.ts";

/** One call in a planned history. */
export interface PlannedCall {
  /** Prices of the prompt in plain input tokens: unchanged, under `safe`, and as shown. */
  directPrice: number;
  safePrice: number;
  price: number;
  /** Index of the first changed item that an earlier prompt contained. */
  cutFrom?: number | undefined;
}

/** A part of a planned prompt, with its token counts before and after shortening. */
interface PlannedItem {
  item: HistoryItem;
  tokens: number;
  shownTokens: number;
}

/** How the results of a history are shown. */
export interface HistoryPlan {
  /** The whole prompt. The next call extends this list, or replaces it if the client has rewritten its history. */
  items: readonly PlannedItem[];
  /** Shown results by item index. Results not listed are shown unchanged. */
  shown: ReadonlyMap<number, ShownResult>;
  /** New decisions, in the order of their calls. */
  decisions: readonly Decision[];
  call: PlannedCall | undefined;
}

/** State of the call being planned. */
export interface CallState {
  /** Overrides the mode in the options, for example if the model has no tool to retrieve omitted content. */
  mode?: GatewayMode | undefined;
  /** True if the provider's cache has expired. */
  isCold?: boolean | undefined;
  /** Returns true once the time to read results has run out. Unread results stay unchanged. */
  isLate?: (() => boolean) | undefined;
}

interface Entry extends PlannedItem {
  /** Tokens besides the text: the framing, the call id and the tool name. */
  frame: number;
  /** Tokens under `safe`. */
  safeTokens: number;
  shown?: ShownResult | undefined;
  /** The shortened version to use once the result is old. Null if it would save too little. */
  old?: (ShownResult & { tokens: number }) | null | undefined;
}

/** Maximum expected calls. A session is assumed to be halfway through its calls. */
const maxExpectedCalls = 40;
/** Maximum characters of old results to read per call, newest first. Later calls read the rest. */
const maxOldChars = 60_000;
/**
 * Maximum characters of new results to read per call. Anything beyond exceeds every model's window and passes
 * unchanged.
 */
const maxNewChars = 2_000_000;
/** Keeps prompts above the shortest cacheable length by this factor, since token counts are estimates. */
const cacheMargin = 1.1;

/**
 * Decides, call by call, how one history shows its results. Decides on each result once when it is new. Decides again
 * when it is old, if the price model says that rewriting the prefix pays off and the savings beyond `safe` so far cover
 * the cost. By the price model, a session never costs more than without the planner, whenever it ends.
 */
export class HistoryPlanner {
  readonly #options: PlanOptions;
  readonly #decisions: Map<string, Decision>;
  #entries: Entry[] = [];
  #known: KnownContent[] = [];
  #ends: number[] = [];
  #applied: Decision[] = [];
  /** Names that remain in the prompt, from messages, calls and shortened old results. */
  #names = new Set<string>();
  #chain = "";
  #chars = 0;
  #credit = 0;
  #state: CallState = {};

  constructor(options: PlanOptions, decisions: Map<string, Decision> = new Map()) {
    this.#options = options;
    this.#decisions = decisions;
  }

  /** Length of the history in characters. */
  get chars(): number {
    return this.#chars;
  }

  /** Plans the next call. `items` extends the last call's items, unless the client has rewritten its history. */
  plan(items: readonly HistoryItem[], state?: CallState): HistoryPlan {
    const steps = this.steps(items, state);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** Plans the next call, pausing after each item. Run the generator to its end before the next plan. */
  *steps(items: readonly HistoryItem[], state: CallState = {}): Generator<void, HistoryPlan> {
    this.#state = state;
    if (!this.#continues(items)) this.#reset();
    const ends = this.#newEnds(items);
    const decisions: Decision[] = [];
    let call: PlannedCall | undefined;
    for (const [at, end] of ends.entries()) {
      yield* this.#append(items.slice(this.#entries.length, end));
      call = yield* this.#decide(end, at < ends.length - 1, decisions);
    }
    return { items: this.#entries, shown: shownBy(this.#applied), decisions, call };
  }

  /**
   * Excludes decisions that are not stored yet from the planned call. They take effect with the next call. Returns how
   * to show the results. Lowers the credit of the last decision, since this call saves nothing and the next one pays
   * for the change.
   */
  without(late: ReadonlySet<Decision>): ReadonlyMap<number, ShownResult> {
    const isLate = (decision: Decision): boolean => late.has(decision);
    const edits = this.#applied.filter(isLate).flatMap((decision) => decision.edits);
    if (edits.length > 0) {
      const changed = this.#entries.slice(Math.min(...edits.map(([place]) => place)));
      const { read, write } = this.#options.price;
      const rewritten = totalOf(changed, ({ shownTokens }) => shownTokens) * (write - read);
      const lostPrice = totalOf(changed, ({ tokens, shownTokens }) => tokens - shownTokens) * write;
      this.#credit -= rewritten + lostPrice;
      const last = this.#applied.findLast(isLate);
      if (last !== undefined) last.credit = this.#credit;
    }
    return shownBy(this.#applied.filter((decision) => !isLate(decision)));
  }

  /** Adopts the decisions of another planner for the same history. */
  learn(decisions: readonly Decision[]): void {
    for (const decision of decisions) this.#decisions.set(decision.at, decision);
  }

  /**
   * Returns true if there are calls between the planned ones and the next one. Another planner may have planned them.
   */
  isBehind(items: readonly HistoryItem[]): boolean {
    return this.#newEnds(items).length > 1;
  }

  #newEnds(items: readonly HistoryItem[]): number[] {
    const done = this.#continues(items) ? (this.#ends.at(-1) ?? 0) : 0;
    return promptEnds(items).filter((end) => end > done);
  }

  #continues(items: readonly HistoryItem[]): boolean {
    return this.#entries.every(({ item }, at) => isSame(item, items[at]));
  }

  #reset(): void {
    this.#entries = [];
    this.#known = [];
    this.#ends = [];
    this.#applied = [];
    this.#names.clear();
    this.#chain = "";
    this.#chars = 0;
    this.#credit = 0;
  }

  *#append(items: readonly HistoryItem[]): Generator<void> {
    let transcript = this.#chain;
    for (const item of items) {
      const { count } = this.#options.counter;
      const frame = 4 + count(item.callId ?? "") + count((item.kind === "call" && item.tool) || "");
      const tokens = item.mediaTokens ?? count(item.text) + frame;
      this.#entries.push({ item, frame, tokens, shownTokens: tokens, safeTokens: tokens });
      this.#chars += item.text.length;
      if (item.kind !== "result") this.#name(item.text);
      if (item.kind !== "system" && item.kind !== "tools")
        transcript += `\n${item.kind} ${item.callId ?? ""} ${item.text.length}\n${item.text}`;
      yield;
    }
    this.#chain = sha256Hex(transcript);
  }

  /** Adds a new decision to `decisions`. Only prices the last call. */
  *#decide(
    end: number,
    isPast: boolean,
    decisions: Decision[],
  ): Generator<void, PlannedCall | undefined> {
    const from = this.#ends.at(-1) ?? 0;
    const stored = this.#decisions.get(this.#chain);
    let cutFrom: number | undefined;
    if (stored !== undefined) {
      for (const [place, tokens] of stored.safe ?? []) {
        const entry = this.#entries[place];
        if (entry !== undefined) entry.safeTokens = tokens;
      }
      for (const [place, shown] of stored.edits) {
        if (place < from) cutFrom = Math.min(place, cutFrom ?? place);
        this.#show(place, shown);
      }
      this.#learn(from);
      this.#credit = stored.credit;
      this.#applied.push(stored);
      this.#ends.push(end);
      return isPast ? undefined : this.#priceCall(from, cutFrom);
    }
    const edits = new Map<number, ShownResult>();
    // Calls without a known decision are assumed to have been sent unchanged.
    if (!isPast) {
      yield* this.#showNewFrom(from, this.#mode, edits);
      if (this.#missing() > 0) {
        this.#revert(edits);
        yield* this.#showNewFrom(from, "safe", edits);
        if (this.#missing() > 0) this.#revert(edits);
      }
      cutFrom = yield* this.#cut(from, edits);
    }
    this.#learn(from);
    const call = isPast ? undefined : this.#priceCall(from, cutFrom);
    if (call !== undefined) this.#credit += call.safePrice - call.price;
    this.#ends.push(end);
    const decision = {
      at: this.#chain,
      edits: [...edits],
      credit: this.#credit,
      safe: this.#safeFrom(from),
    };
    this.#decisions.set(decision.at, decision);
    this.#applied.push(decision);
    decisions.push(decision);
    return call;
  }

  #show(place: number, shown: ShownResult): void {
    const entry = this.#entries[place];
    if (entry === undefined) return;
    entry.shown = shown;
    entry.shownTokens = this.#options.counter.count(shown.text) + entry.frame;
    if (shown.form === "cut") this.#name(shown.text);
  }

  #safeFrom(from: number): Decision["safe"] {
    const safe: [number, number][] = [];
    for (const [place, { tokens, safeTokens }] of this.#entries.entries())
      if (place >= from && safeTokens < tokens) safe.push([place, safeTokens]);
    return safe.length === 0 ? undefined : safe;
  }

  get #mode(): GatewayMode {
    return this.#state.mode ?? this.#options.mode;
  }

  #name(text: string): void {
    if (this.#options.mode === "full")
      for (const name of identifiersOf(text)) this.#names.add(name);
  }

  /** Returns how many tokens the prompt lacks to be cacheable. A shorter prompt would cost more than a longer one. */
  #missing(): number {
    const tokens = totalOf(this.#entries, ({ shownTokens }) => shownTokens);
    return this.#options.price.minCachedTokens * cacheMargin - tokens;
  }

  #revert(edits: Map<number, ShownResult>): void {
    for (const place of edits.keys()) {
      const entry = this.#entries[place];
      if (entry === undefined) continue;
      entry.shown = undefined;
      entry.shownTokens = entry.tokens;
      entry.safeTokens = entry.tokens;
    }
    edits.clear();
  }

  *#showNewFrom(from: number, mode: GatewayMode, edits: Map<number, ShownResult>): Generator<void> {
    let chars = 0;
    for (const [at, { item }] of this.#entries.entries()) {
      if (at < from) continue;
      chars += item.text.length;
      if (chars <= maxNewChars) this.#showNew(at, mode, edits);
      yield;
    }
  }

  #showNew(at: number, mode: GatewayMode, edits: Map<number, ShownResult>): void {
    const entry = this.#entries[at];
    const result = this.#state.isLate?.() === true ? undefined : this.#resultAt(at);
    if (entry === undefined || result === undefined) return;
    const minTokens = entry.shownTokens + this.#missing();
    const shownIn = isReader(entry.item.tool) && mode === "full" ? "safe" : mode;
    const options: PlanOptions = { ...this.#options, minTokens, mode: shownIn };
    const restored = this.#restored(at);
    const { shown, safe } = restored ? { shown: restored } : showNew(result, this.#known, options);
    if (shown === undefined) return;
    const whole = { ...shown, text: restored ? shown.text : shown.text + result.words };
    edits.set(at, whole);
    this.#show(at, whole);
    if (safe !== undefined)
      entry.safeTokens = this.#options.counter.count(safe.text + result.words) + entry.frame;
  }

  /** Returns the full text of an earlier shortened result, if this result of the same call only refers to it. */
  #restored(at: number): ShownResult | undefined {
    const item = this.#entries[at]?.item;
    if (item === undefined || !refersToEarlier(item.text)) return undefined;
    const call = this.#callOf(item, at);
    const earlier = this.#entries.findLast(
      ({ item: earlierItem, shown }, place) =>
        place < at &&
        (shown?.form === "selection" || shown?.form === "cut") &&
        earlierItem.tool === item.tool &&
        this.#callOf(earlierItem, place)?.text === call?.text,
    );
    if (call === undefined || earlier === undefined) return undefined;
    return { text: `${item.text}\n${earlier.item.text}`, form: "restored" };
  }

  #callOf({ callId }: HistoryItem, before: number): HistoryItem | undefined {
    return this.#entries.findLast(
      ({ item }, place) => place < before && item.kind === "call" && item.callId === callId,
    )?.item;
  }

  /**
   * Records the contents of results, since later results may refer to them. A selection names its rest, so all of its
   * content counts.
   */
  #learn(from: number): void {
    for (const { item, shown } of this.#entries.slice(from)) {
      if (item.kind !== "result" || item.text.length < 200 || shown?.form === "cut") continue;
      this.#known.push({
        content: ownText(item.text).own,
        name: `the result of ${item.callId ?? "a call"}`,
      });
    }
  }

  #resultAt(at: number): (ResultToShow & OwnText) | undefined {
    const entry = this.#entries[at];
    if (entry?.item.kind !== "result") return undefined;
    const before = this.#entries.slice(0, at);
    const question = before.findLast(({ item }) => item.kind === "user")?.item.text ?? "";
    const query = `${question.slice(-2000)} ${this.#callOf(entry.item, at)?.text ?? ""}`.slice(
      -4000,
    );
    const parts = ownText(entry.item.text);
    const tokens = this.#options.counter.count(parts.own) + 4;
    return { ...parts, text: parts.own, whole: entry.item.text, tokens, query };
  }

  /** Shortens old results starting at the index that saves the largest total. Returns that index. */
  *#cut(from: number, edits: Map<number, ShownResult>): Generator<void, number | undefined> {
    const { cutAbove, price } = this.#options;
    const { isCold = false, isLate } = this.#state;
    const total = totalOf(this.#entries, ({ shownTokens }) => shownTokens);
    if (this.#mode !== "full" || total < cutAbove) return undefined;
    const calls = Math.min(maxExpectedCalls, this.#ends.length);
    const fresh = totalOf(this.#entries.slice(from), ({ shownTokens }) => shownTokens);
    const { safePrice, price: uncut } = this.#priceCall(from, undefined);
    const available = this.#credit + safePrice - uncut;
    let [saved, prefix, chars] = [0, total - fresh, 0];
    const wasCached = prefix;
    let best: { place: number; gain: number } | undefined;
    for (let at = from - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      prefix -= entry?.shownTokens ?? 0;
      if (entry?.old === undefined) chars += entry?.item.text.length ?? 0;
      const old = this.#oldAt(at, chars <= maxOldChars && isLate?.() !== true);
      yield;
      if (old === undefined) continue;
      saved += old.less;
      const cached = isCold ? 0 : prefix;
      const cut = { cached, fresh: wasCached - cached - saved + fresh };
      const cost = promptPrice(cut, price) - uncut;
      const gain = saved * price.read * calls - cost;
      const isCached = total - saved >= price.minCachedTokens * cacheMargin;
      if (isCached && cost <= available && gain > (best?.gain ?? 0)) best = { place: at, gain };
    }
    if (best === undefined) return undefined;
    for (let at = best.place; at < from; at++) {
      const old = this.#oldAt(at);
      if (old === undefined) continue;
      edits.set(at, old.shown);
      this.#show(at, old.shown);
    }
    const shortened = new Set(
      this.#entries.flatMap(({ item, shown }) =>
        shown?.form === "cut" ? [ownText(item.text).own] : [],
      ),
    );
    this.#known = this.#known.filter(({ content }) => !shortened.has(content));
    return best.place;
  }

  /**
   * Returns the short version of a result, and the tokens that it saves. Undefined if shortening is not allowed or
   * saves none.
   */
  #oldAt(at: number, mayRead = false): { shown: ShownResult; less: number } | undefined {
    const entry = this.#entries[at];
    if (
      entry?.item.kind !== "result" ||
      isReader(entry.item.tool) ||
      entry.shown?.form === "cut" ||
      entry.shown?.form === "restored"
    )
      return undefined;
    if (entry.old === undefined && mayRead) entry.old = this.#oldForm(at, entry);
    if (!entry.old) return undefined;
    const { tokens, ...shown } = entry.old;
    const less = entry.shownTokens - tokens;
    return less > 0 ? { shown, less } : undefined;
  }

  #oldForm(at: number, { shownTokens, frame }: Entry): Entry["old"] {
    const result = shownTokens < 120 ? undefined : this.#resultAt(at);
    if (result === undefined) return null;
    const old = showOld(result, (name) => this.#names.has(name), this.#options);
    if (old === undefined) return null;
    const text = old.text + result.words;
    return { text, form: old.form, tokens: this.#options.counter.count(text) + frame };
  }

  #priceCall(from: number, cutFrom: number | undefined): PlannedCall {
    const { price } = this.#options;
    const isCold = this.#state.isCold === true;
    const priceOf = (end: number, valueOf: (entry: Entry) => number): number => {
      const all = totalOf(this.#entries, valueOf);
      const cached = isCold ? 0 : totalOf(this.#entries.slice(0, end), valueOf);
      return promptPrice({ cached, fresh: all - cached }, price);
    };
    return {
      cutFrom,
      directPrice: priceOf(from, (entry) => entry.tokens),
      safePrice: priceOf(from, (entry) => entry.safeTokens),
      price: priceOf(cutFrom ?? from, (entry) => entry.shownTokens),
    };
  }
}

function shownBy(decisions: readonly Decision[]): ReadonlyMap<number, ShownResult> {
  return new Map(decisions.flatMap(({ edits }) => edits));
}

function isSame(left: HistoryItem, right: HistoryItem | undefined): boolean {
  return left.kind === right?.kind && left.text === right.text && left.callId === right.callId;
}

function totalOf<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += valueOf(item);
  return total;
}
