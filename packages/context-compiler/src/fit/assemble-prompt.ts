import type { ChatMessage } from "@ccl/core";

import type { History } from "./analyze-history.ts";
import type { FitPolicy } from "./fit-policy.ts";
import { describeUnits, type HistoryUnit } from "./history-unit.ts";
import { type FrozenCut, droppedRanges } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";
import { showAfterCut } from "./show-unit.ts";
import { markerMessage, startMarker } from "./write-marker.ts";

/** How far a prompt was written at some point. */
interface PromptMark {
  messages: number;
  tokens: number;
  trace: number;
}

/** A written prompt. */
export interface AssembledPrompt {
  messages: ChatMessage[];
  tokens: number;
  trace: FitTraceEntry[];
  /** The end of the part that appending to the input leaves alone. */
  settled: PromptMark;
  /** The end of the part that was taken over from an earlier prompt. */
  resumed: PromptMark;
  /** The end of the system prompt, and of what a cut froze. */
  headEnd: number;
  frozenEnd: number;
}

/** A prompt to continue: that of the same cut, whose history's settled units are those of this one. */
export interface EarlierPrompt {
  prompt: AssembledPrompt;
  settledUnits: number;
}

/** Writes the prompt of a history under a cut; of an `earlier` prompt only what comes after its settled part is written anew.
 * Stops early above `giveUpAbove` tokens. */
export function assemblePrompt(
  history: History,
  {
    cut,
    policy,
    earlier,
  }: { cut: FrozenCut | undefined; policy: FitPolicy; earlier?: EarlierPrompt | undefined },
  giveUpAbove: number = Infinity,
): AssembledPrompt {
  const writer = new PromptWriter(history, policy);
  let next = cut?.from ?? 0;
  if (earlier !== undefined && earlier.settledUnits > next) {
    writer.resume(earlier.prompt);
    next = earlier.settledUnits;
  } else {
    writer.writeStart(cut);
  }
  for (const [place, unit] of history.units.slice(next).entries()) {
    if (next + place === history.settled.units) writer.settle();
    writer.writeUnit(unit, cut);
    if (writer.tokens > giveUpAbove) break;
  }
  return writer.finish(history.settled.units >= history.units.length);
}

class PromptWriter {
  readonly #history: History;
  readonly #policy: FitPolicy;
  #messages: ChatMessage[] = [];
  #tokens = 0;
  #trace: FitTraceEntry[] = [];
  #settled: PromptMark | undefined;
  #resumed: PromptMark = { messages: 0, tokens: 0, trace: 0 };
  #headEnd = 0;
  #frozenEnd = 0;

  constructor(history: History, policy: FitPolicy) {
    this.#history = history;
    this.#policy = policy;
  }

  resume({ messages, trace, settled, headEnd, frozenEnd }: AssembledPrompt): void {
    this.#messages = messages.slice(0, settled.messages);
    this.#trace = trace.slice(0, settled.trace);
    this.#tokens = settled.tokens;
    this.#settled = settled;
    this.#resumed = settled;
    this.#headEnd = headEnd;
    this.#frozenEnd = frozenEnd;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** The system prompt, and what a cut keeps or marks before its tail. */
  writeStart(cut: FrozenCut | undefined): void {
    const { meter } = this.#policy;
    this.#tokens = meter.fixed;
    for (const message of this.#history.head) this.#write(message);
    this.#headEnd = this.#messages.length;
    if (cut !== undefined) {
      let unit = 0;
      for (const [place, range] of droppedRanges(cut.from, cut.kept).entries()) {
        for (; unit < range.from; unit++) this.#writeWhole(unit);
        this.#writeMarker(range, cut.markers[place] ?? "");
        unit = range.to;
      }
      for (; unit < cut.from; unit++) this.#writeWhole(unit);
    }
    this.#frozenEnd = this.#messages.length;
  }

  writeUnit(unit: HistoryUnit, cut: FrozenCut | undefined): void {
    const { messages, trace } =
      cut === undefined
        ? { messages: unit.messages, trace: [] }
        : showAfterCut(unit, cut.limitTokens, this.#policy);
    for (const message of messages) this.#write(message);
    for (const entry of trace) this.#trace.push(entry);
  }

  settle(): void {
    this.#settled = {
      messages: this.#messages.length,
      tokens: this.#tokens,
      trace: this.#trace.length,
    };
  }

  finish(isAllSettled: boolean): AssembledPrompt {
    if (isAllSettled || this.#settled === undefined) this.settle();
    const settled = this.#settled ?? { messages: 0, tokens: 0, trace: 0 };
    return {
      messages: this.#messages,
      tokens: this.#tokens,
      trace: this.#trace,
      settled,
      resumed: this.#resumed,
      headEnd: this.#headEnd,
      frozenEnd: this.#frozenEnd,
    };
  }

  #writeMarker(range: { from: number; to: number }, text: string): void {
    const marker = markerMessage(text);
    const { from, to, tokens } = describeUnits(this.#history.units, range);
    const tokensAfter = this.#policy.meter.of(marker);
    this.#trace.push({
      action: "dropped",
      reason: "budget",
      from,
      to,
      tokensBefore: tokens,
      tokensAfter,
    });
    this.#write(marker);
  }

  #writeWhole(unit: number): void {
    for (const message of this.#history.units[unit]?.messages ?? []) this.#write(message);
  }

  #write(message: ChatMessage): void {
    const isFirst = this.#messages.length === this.#history.head.length;
    if (isFirst && this.#headEnd > 0 === this.#history.head.length > 0 && this.#needsStart(message))
      this.#push(startMarker);
    this.#push(message);
  }

  #needsStart({ role }: ChatMessage): boolean {
    if (
      role === "user" ||
      (role !== "assistant" && this.#messages.length < this.#history.head.length)
    )
      return false;
    this.#trace.push({
      action: "repaired",
      reason: "no_user_first",
      from: 0,
      to: 0,
      tokensBefore: 0,
      tokensAfter: this.#policy.meter.of(startMarker),
    });
    return true;
  }

  #push(message: ChatMessage): void {
    this.#messages.push(message);
    this.#tokens += this.#policy.meter.of(message);
  }
}
