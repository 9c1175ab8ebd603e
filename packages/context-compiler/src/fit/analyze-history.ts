import type { ChatMessage } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import { cleanMessage } from "./clean-message.ts";
import type { FitReason, FitTraceEntry } from "./fit-trace.ts";
import type { MessageMeter } from "./message-meter.ts";
import { addToUnit, createUnit, joinUnits, type HistoryUnit, type Member } from "./history-unit.ts";

/** A history divided into units, each of which is valid on its own. */
export interface History {
  /** Leading system and developer messages. */
  head: readonly ChatMessage[];
  /** Indexes of the head messages in the input. */
  headIndexes: readonly number[];
  units: readonly HistoryUnit[];
  repairs: readonly FitTraceEntry[];
}

const unansweredText = "[No result of this call was recorded.]";

/** Divides messages into units, and repairs anything that providers would reject. */
export function analyzeHistory(messages: readonly ChatMessage[], meter: MessageMeter): History {
  return new Analysis(meter).run(messages);
}

/** A unit of calls that can still receive results. */
interface OpenCalls {
  unit: HistoryUnit;
  /** Ids of its calls. Undefined for a call that already has a result. */
  waiting: (string | undefined)[];
  /** Results that arrived after other units. */
  late: Member[];
}

class Analysis {
  readonly #meter: MessageMeter;
  readonly #head: ChatMessage[] = [];
  readonly #headIndexes: number[] = [];
  readonly #units: HistoryUnit[] = [];
  readonly #repairs: FitTraceEntry[] = [];
  /**
   * Units with one half of a provider's pair of parts. The other half must come no later than the
   * next assistant message.
   */
  readonly #pairs = new Map<string, HistoryUnit>();
  #open: OpenCalls | undefined;

  constructor(meter: MessageMeter) {
    this.#meter = meter;
  }

  run(messages: readonly ChatMessage[]): History {
    for (const [index, message] of messages.entries()) {
      if (message === undefined || message === null) {
        throw new ContextCompilerError("invalid_messages", `Message ${index} is missing.`, {
          details: { index },
        });
      }
      this.#add(message, index);
    }
    this.#close();
    return {
      head: this.#head,
      headIndexes: this.#headIndexes,
      units: this.#units,
      repairs: this.#repairs,
    };
  }

  #add(original: ChatMessage, index: number): void {
    if (original.role === "assistant") {
      this.#close();
      // The other half of a pair must come no later than this message.
      if (!pairsOf(original).some((id) => this.#pairs.has(id))) this.#pairs.clear();
    }
    const { message, problems } = cleanMessage(original, index);
    for (const reason of problems)
      this.#report(message === undefined ? "dropped" : "repaired", reason, {
        message: original,
        index,
      });
    if (message !== undefined) this.#addClean(message, index);
  }

  #addClean(message: ChatMessage, index: number): void {
    if (message.role === "tool") this.#addResult(message, index);
    else if (this.#units.length === 0 && message.role !== "assistant" && message.role !== "user")
      this.#addHead(message, index);
    else this.#units.push(createUnit({ message, index, tokens: this.#meter.of(message) }));
    this.#pair(message);
    const unit = this.#units.at(-1);
    if (message.toolCalls === undefined || unit === undefined) return;
    this.#open = {
      unit,
      waiting: message.toolCalls.map(({ id }) => id),
      late: [],
    };
  }

  #pair(message: ChatMessage): void {
    for (const id of pairsOf(message)) {
      const first = this.#pairs.get(id);
      const unit = this.#units.at(-1);
      if (first !== undefined) joinUnits(this.#units, first);
      if (first !== undefined) this.#pairs.delete(id);
      else if (unit !== undefined) this.#pairs.set(id, unit);
    }
  }

  #addHead(message: ChatMessage, index: number): void {
    this.#head.push(message);
    this.#headIndexes.push(index);
  }

  #addResult(message: ChatMessage, index: number): void {
    const id = message.toolCallId;
    const open = this.#open;
    const call = id === undefined ? -1 : (open?.waiting.indexOf(id) ?? -1);
    if (open !== undefined && call >= 0) {
      open.waiting[call] = undefined;
      const member = { message, index, tokens: this.#meter.of(message) };
      if (open.unit === this.#units.at(-1)) addToUnit(open.unit, member);
      else open.late.push(member);
      return;
    }
    const isDuplicate = open !== undefined && id !== undefined && this.#isAnswered(open, id);
    this.#report("dropped", isDuplicate ? "duplicate_result" : "orphaned_result", {
      message,
      index,
    });
  }

  #isAnswered({ unit, late }: OpenCalls, id: string): boolean {
    return (
      unit.messages.some(({ toolCallId }) => toolCallId === id) ||
      late.some(({ message }) => message.toolCallId === id)
    );
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const unanswered = open.waiting.filter((id) => id !== undefined);
    if (unanswered.length + open.late.length === 0) return;
    const { messages, indexes } = open.unit;
    const index = indexes[0] ?? 0;
    const synthetic = unanswered.map((id): Member => {
      const message: ChatMessage = {
        role: "tool",
        toolCallId: id,
        content: unansweredText,
        isError: true,
      };
      return { message, index, tokens: this.#meter.of(message) };
    });
    for (const member of [...open.late, ...synthetic]) addToUnit(open.unit, member);
    if (synthetic.length > 0)
      this.#report("repaired", "unanswered_call", { message: messages[0], index });
  }

  #report(
    action: "dropped" | "repaired",
    reason: FitReason,
    { message, index }: { message: ChatMessage | undefined; index: number },
  ): void {
    const id = message?.id;
    const place = { from: index, to: index + 1, messageId: id };
    this.#repairs.push({ action, reason, ...place, tokensBefore: 0, tokensAfter: 0 });
  }
}

function pairsOf({ content }: ChatMessage): string[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "provider" ? (part.pairId ?? []) : []));
}
