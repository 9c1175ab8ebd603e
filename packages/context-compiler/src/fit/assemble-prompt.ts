import type { ChatMessage } from "@ccl/core";

import type { History } from "./analyze-history.ts";
import type { FitPolicy } from "./fit-policy.ts";
import { type FrozenCut, droppedRanges } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";
import { describeUnits, type HistoryUnit } from "./history-unit.ts";
import { textKey, withText } from "./message-texts.ts";
import { markerMessage, startMarker } from "./write-marker.ts";

/** A written prompt. */
export interface AssembledPrompt {
  messages: ChatMessage[];
  /** Index of each message in the input. -1 for an added message. */
  sources: number[];
  tokens: number;
  trace: FitTraceEntry[];
  /** Where the system prompt ends, and where the range frozen by a cut ends. */
  headEnd: number;
  frozenEnd: number;
}

interface AssembleOptions {
  cut: FrozenCut | undefined;
  policy: FitPolicy;
}

/** Writes the prompt for a history, applying a cut. */
export function assemblePrompt(history: History, options: AssembleOptions): AssembledPrompt {
  const { cut } = options;
  const writer = new PromptWriter(history, options);
  writer.writeHead();
  const ranges = cut === undefined ? [] : droppedRanges(cut.from, cut.kept);
  let unit = 0;
  for (const [place, range] of ranges.entries()) {
    for (; unit < range.from; unit++) writer.writeUnit(history.units[unit]);
    writer.writeMarker(range, cut?.markers[place] ?? "");
    unit = range.to;
  }
  for (; unit < (cut?.from ?? 0); unit++) writer.writeUnit(history.units[unit]);
  const frozenEnd = writer.messages.length;
  for (; unit < history.units.length; unit++) writer.writeUnit(history.units[unit]);
  const { messages, sources, tokens, trace, headEnd } = writer;
  return { messages, sources, tokens, trace, headEnd, frozenEnd };
}

const isPartOf = /^\[(?:Shortened|Repeated|Superseded)|^\[[a-z]+ of [^\]]{1,80} removed\]/m;

class PromptWriter {
  readonly #history: History;
  readonly #policy: FitPolicy;
  readonly #texts: FrozenCut["texts"];
  /** Indexes of messages whose text may be replaced. Only these are hashed. */
  readonly #shortened: ReadonlySet<number>;
  readonly messages: ChatMessage[] = [];
  readonly sources: number[] = [];
  readonly trace: FitTraceEntry[] = [];
  tokens: number;
  headEnd = 0;

  constructor(history: History, { policy, cut }: AssembleOptions) {
    this.#history = history;
    this.#policy = policy;
    this.#texts = cut?.texts ?? {};
    this.#shortened = new Set(Object.keys(this.#texts).map((key) => Number.parseInt(key, 10)));
    this.tokens = policy.meter.fixed;
  }

  writeHead(): void {
    for (const [at, message] of this.#history.head.entries())
      this.#push(message, this.#history.headIndexes[at]);
    this.headEnd = this.messages.length;
  }

  writeMarker(range: { from: number; to: number }, text: string): void {
    const marker = markerMessage(text);
    const { from, to, tokens } = describeUnits(this.#history.units, range);
    const tokensAfter = this.#policy.meter.of(marker);
    const place = { from, to, tokensBefore: tokens, tokensAfter };
    this.trace.push({ action: "dropped", reason: "budget", ...place });
    this.#push(marker);
  }

  writeUnit(unit: HistoryUnit | undefined): void {
    for (const [at, message] of unit?.messages.entries() ?? []) {
      const index = unit?.indexes[at] ?? 0;
      const isOwn = at === 0 || index !== unit?.indexes[0];
      const isShort = isOwn && this.#shortened.has(index);
      const text = isShort ? this.#texts[textKey(message, index)] : undefined;
      if (text === undefined) this.#writeFirst(message, isOwn ? index : -1);
      else this.#writeShort(message, { index, text });
    }
  }

  #writeShort(message: ChatMessage, { index, text }: { index: number; text: string }): void {
    const { meter } = this.#policy;
    const short = withText(message, text);
    const id = { messageId: message.id };
    const tokens = { tokensBefore: meter.of(message), tokensAfter: meter.of(short) };
    const action = isPartOf.test(text) || text === message.content ? "truncated" : "compacted";
    this.trace.push({ action, reason: "budget", from: index, to: index + 1, ...id, ...tokens });
    this.#writeFirst(short, index);
  }

  /** A conversation must begin with a user message. */
  #writeFirst(message: ChatMessage, source: number): void {
    const isFirst = this.messages.length === this.headEnd;
    if (isFirst && message.role !== "user") {
      const tokensAfter = this.#policy.meter.of(startMarker);
      const place = { from: 0, to: 0, tokensBefore: 0, tokensAfter };
      this.trace.push({ action: "repaired", reason: "no_user_first", ...place });
      this.#push(startMarker);
    }
    this.#push(message, source);
  }

  #push(message: ChatMessage, source: number = -1): void {
    this.messages.push(message);
    this.sources.push(source);
    this.tokens += this.#policy.meter.of(message);
  }
}
