import type { ChatMessage } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import { cleanMessage } from "./clean-message.ts";
import type { FitReason, FitTraceEntry } from "./fit-trace.ts";

/** Messages that stand or fall together: a call message with all its results, or any other message alone. */
export interface HistoryUnit {
  kind: "calls" | "assistant" | "user" | "system";
  /** Mended where needed, else the caller's own objects. */
  messages: readonly ChatMessage[];
  /** For each message its index in the input; for a result that had to be made up, the index of its call. */
  indexes: readonly number[];
}

/** A history as units, each legal by itself. */
export interface History {
  /** Leading system and developer messages. */
  head: readonly ChatMessage[];
  units: readonly HistoryUnit[];
  repairs: readonly FitTraceEntry[];
  /** Everything before this point stays as it is, whatever is appended. */
  settled: { messages: number; units: number; repairs: number };
}

const unansweredText = "[No result of this call was recorded.]";

/** Divides messages into units and mends what no provider accepts. Of `before`, the settled messages are the first of `messages`. */
export function analyzeHistory(messages: readonly ChatMessage[], before?: History): History {
  return new Analysis(before).run(messages);
}

/** The messages and indexes of a unit of calls, while answers are still taken. */
interface OpenCall {
  messages: ChatMessage[];
  indexes: number[];
  pending: Set<string>;
}

class Analysis {
  readonly #head: ChatMessage[];
  readonly #units: HistoryUnit[];
  readonly #repairs: FitTraceEntry[];
  #settled: History["settled"];
  #open: OpenCall | undefined;

  constructor(before: History | undefined) {
    this.#settled = before?.settled ?? { messages: 0, units: 0, repairs: 0 };
    this.#head = this.#settled.units === 0 ? [] : [...(before?.head ?? [])];
    this.#units = before?.units.slice(0, this.#settled.units) ?? [];
    this.#repairs = before?.repairs.slice(0, this.#settled.repairs) ?? [];
    if (this.#units.length === 0) {
      this.#repairs = [];
      this.#settled = { messages: 0, units: 0, repairs: 0 };
    }
  }

  run(messages: readonly ChatMessage[]): History {
    for (let index = this.#settled.messages; index < messages.length; index++) {
      const message = messages[index];
      if (message === undefined) {
        throw new ContextCompilerError("invalid_messages", `Message ${index} is missing.`, { details: { index } });
      }
      this.#add(message, index);
    }
    const settled = this.#settled;
    this.#close();
    return { head: this.#head, units: this.#units, repairs: this.#repairs, settled };
  }

  #add(original: ChatMessage, index: number): void {
    const isAssistant = original.role === "assistant";
    // From the next assistant message on, nothing that comes later changes the units before it.
    if (isAssistant) {
      this.#close();
      this.#settled = { messages: index, units: this.#units.length, repairs: this.#repairs.length };
    }
    const { message, faults } = cleanMessage(original, index);
    for (const reason of faults)
      this.#note(message === undefined ? "dropped" : "repaired", reason, { message: original, index });
    if (message === undefined) return;
    if (message.role === "tool") this.#addResult(message, index);
    else if (message.role === "assistant") this.#addAssistant(message, index);
    else if (message.role === "user") this.#push("user", message, index);
    else if (this.#units.length === 0) this.#head.push(message);
    else this.#push("system", message, index);
  }

  #push(kind: HistoryUnit["kind"], message: ChatMessage, index: number): Omit<OpenCall, "pending"> {
    const unit = { kind, messages: [message], indexes: [index] };
    this.#units.push(unit);
    return unit;
  }

  #addAssistant(message: ChatMessage, index: number): void {
    const calls = message.toolCalls ?? [];
    const { messages, indexes } = this.#push(calls.length > 0 ? "calls" : "assistant", message, index);
    if (calls.length > 0) this.#open = { messages, indexes, pending: new Set(calls.map(({ id }) => id)) };
  }

  #addResult(message: ChatMessage, index: number): void {
    const open = this.#open;
    const id = message.toolCallId;
    if (open !== undefined && id !== undefined && open.pending.delete(id)) {
      open.messages.push(message);
      open.indexes.push(index);
      return;
    }
    const isDuplicate = open?.messages.some(({ toolCallId }) => toolCallId === id && id !== undefined) === true;
    this.#note("dropped", isDuplicate ? "duplicate_result" : "orphaned_result", { message, index });
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const callIndex = open.indexes[0] ?? 0;
    for (const id of open.pending) {
      open.messages.push({ role: "tool", toolCallId: id, content: unansweredText, isError: true });
      open.indexes.push(callIndex);
    }
    if (open.pending.size > 0)
      this.#note("repaired", "unanswered_call", { message: open.messages[0], index: callIndex });
  }

  #note(
    action: "dropped" | "repaired",
    reason: FitReason,
    { message, index }: { message: ChatMessage | undefined; index: number },
  ): void {
    const id = message?.id;
    const place = { from: index, to: index + 1, ...(id === undefined ? {} : { messageId: id }) };
    this.#repairs.push({ action, reason, ...place, tokensBefore: 0, tokensAfter: 0 });
  }
}
