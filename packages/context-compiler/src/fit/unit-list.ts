import type { ChatMessage } from "@ccl/core";

import type { ElidedRange } from "./fit-policy.ts";

/** Messages that stand or fall together: a call message with all its results, or any other message alone. */
export interface HistoryUnit {
  kind: "calls" | "assistant" | "user" | "system";
  /** Repaired where needed, else the caller's own objects. */
  messages: readonly ChatMessage[];
  /** For each message its index in the input; for the result of an unanswered call, the index of its call. */
  indexes: readonly number[];
}

/** Units from `from` on, below `to`. */
export interface UnitRange {
  from: number;
  to: number;
}

/** A message, its index in the input, and its tokens. */
export interface Member {
  message: ChatMessage;
  index: number;
  tokens: number;
}

interface Lists {
  messages: ChatMessage[];
  indexes: number[];
  tokens: number[];
  /** Where each unit begins. */
  starts: number[];
  /** How many units stay as they are; undefined while a call is at work on those that follow. */
  settled: number | undefined;
}

/** Units in flat lists: of a long history most are only counted, so only those that are shown become objects. */
export class UnitList {
  readonly #lists: Lists;
  #messageCount: number;
  #unitCount: number;

  private constructor(lists: Lists, messageCount: number, unitCount: number) {
    this.#lists = lists;
    this.#messageCount = messageCount;
    this.#unitCount = unitCount;
  }

  /** Has room for so many messages, since to grow takes longer than to fill. */
  static empty(capacity: number): UnitList {
    const [messages, indexes] = [listOf<ChatMessage>(capacity), listOf<number>(capacity)];
    const [tokens, starts] = [listOf<number>(capacity), listOf<number>(capacity)];
    return new UnitList({ messages, indexes, tokens, starts, settled: undefined }, 0, 0);
  }

  /** The first units, to be gone on with: the lists grow, unless another call made them grow already. */
  take(length: number): UnitList {
    const end = this.#startOf(length);
    const { messages, indexes, tokens, starts, settled } = this.#lists;
    if (settled === length) {
      this.#lists.settled = undefined;
      return new UnitList(this.#lists, end, length);
    }
    const copied = {
      messages: messages.slice(0, end),
      indexes: indexes.slice(0, end),
      tokens: tokens.slice(0, end),
    };
    return new UnitList(
      { ...copied, starts: starts.slice(0, length), settled: undefined },
      end,
      length,
    );
  }

  /** Of these units only the first are looked at from now on. */
  settle(length: number): void {
    this.#lists.settled = length;
  }

  get length(): number {
    return this.#unitCount;
  }

  kindOf(unit: number): HistoryUnit["kind"] {
    const first = this.#lists.messages[this.#startOf(unit)];
    if (first?.role === "assistant") return first.toolCalls === undefined ? "assistant" : "calls";
    return first?.role === "user" ? "user" : "system";
  }

  at(unit: number): HistoryUnit {
    const start = this.#startOf(unit);
    const end = this.#startOf(unit + 1);
    const messages = this.#lists.messages.slice(start, end);
    return { kind: this.kindOf(unit), messages, indexes: this.#lists.indexes.slice(start, end) };
  }

  /** The units in terms of the input. */
  describe({ from, to }: UnitRange): ElidedRange {
    const start = this.#startOf(from);
    const end = this.#startOf(to);
    const range = {
      from: this.#lists.indexes[start] ?? 0,
      to: 0,
      messages: end - start,
      tokens: 0,
    };
    for (let at = start; at < end; at++) {
      range.tokens += this.#lists.tokens[at] ?? 0;
      range.to = Math.max(range.to, (this.#lists.indexes[at] ?? 0) + 1);
    }
    return range;
  }

  /** Begins a unit. */
  push({ message, index, tokens }: Member): void {
    this.#lists.starts[this.#unitCount] = this.#messageCount;
    this.#unitCount += 1;
    this.append({ message, index, tokens });
  }

  /** Puts a message at the end of the last unit. */
  append({ message, index, tokens }: Member): void {
    const at = this.#messageCount;
    this.#lists.messages[at] = message;
    this.#lists.indexes[at] = index;
    this.#lists.tokens[at] = tokens;
    this.#messageCount += 1;
  }

  /** Puts messages at the end of any unit. */
  insert(unit: number, members: readonly Member[]): void {
    const end = this.#startOf(unit + 1);
    const later: Member[] = [];
    for (const [at, message] of this.#lists.messages.slice(end, this.#messageCount).entries()) {
      later.push({
        message,
        index: this.#lists.indexes[end + at] ?? 0,
        tokens: this.#lists.tokens[end + at] ?? 0,
      });
    }
    this.#messageCount = end;
    for (const member of members) this.append(member);
    for (const member of later) this.append(member);
    for (let next = unit + 1; next < this.#unitCount; next++) {
      this.#lists.starts[next] = (this.#lists.starts[next] ?? 0) + members.length;
    }
  }

  #startOf(unit: number): number {
    return unit < this.#unitCount ? (this.#lists.starts[unit] ?? 0) : this.#messageCount;
  }
}

function listOf<Item>(length: number): Item[] {
  const list: Item[] = [];
  list.length = length;
  return list;
}
