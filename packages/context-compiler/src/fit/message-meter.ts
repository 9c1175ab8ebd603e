import {
  countMessages,
  estimatedCounter,
  type ChatMessage,
  type TokenCounter,
  type ToolDescription,
} from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";

/**
 * Counts each message once, on its own. The sum of these counts and `fixed` equals the caller's
 * count of the prompt.
 */
export interface MessageMeter {
  counter: TokenCounter;
  /** Tokens of the framing of an empty prompt with its tools. */
  fixed: number;
  of(message: ChatMessage): number;
  /**
   * Returns `sum`. If the counter is known not to be additive and the sum is not far above
   * `enough`, returns a count of the whole prompt.
   */
  total(messages: readonly ChatMessage[], sum: number, enough: number): number;
  /**
   * Compares the sum with a count of the whole for a bounded sample, to detect counters that are
   * not additive.
   */
  probe(messages: readonly ChatMessage[]): void;
}

interface Entry {
  tokens: number;
  content: ChatMessage["content"];
  toolCalls: ChatMessage["toolCalls"];
  toolCallId: ChatMessage["toolCallId"];
}

interface Memory {
  of(message: ChatMessage): number;
  /** Tokens of an empty prompt. */
  base: number;
  isAdditive: boolean;
}

const memories = new WeakMap<TokenCounter, Memory>();
const sampleMessages = 24;
const sampleTokens = 4_000;

/** Caches a message's count for the lifetime of the object. Counts a changed message again. */
export function createMessageMeter(
  counter: TokenCounter = estimatedCounter,
  tools: readonly ToolDescription[] = [],
): MessageMeter {
  const memory = memories.get(counter) ?? createMemory(counter);
  memories.set(counter, memory);
  const fixed = tools.length === 0 ? memory.base : wholeOf(counter, [], tools);
  return {
    counter,
    fixed,
    of: memory.of,
    total: (messages, sum, enough) =>
      memory.isAdditive || sum > 2 * enough + 1_000 ? sum : wholeOf(counter, messages, tools),
    probe: (messages) => {
      if (!memory.isAdditive) return;
      const sample: ChatMessage[] = [];
      let sum = 0;
      for (let index = 0; index < messages.length && sample.length < sampleMessages; index++) {
        const message = messages[index];
        const tokens = message === undefined ? 0 : memory.of(message);
        if (message === undefined || tokens > sampleTokens - sum) continue;
        sample.push(message);
        sum += tokens;
      }
      memory.isAdditive = wholeOf(counter, sample, tools) === fixed + sum;
    },
  };
}

function createMemory(counter: TokenCounter): Memory {
  requireCount(counter, counter.count("a"));
  const known = new WeakMap<ChatMessage, Entry>();
  const base = wholeOf(counter, [], []);
  const of = (message: ChatMessage): number => {
    const before = known.get(message);
    const { content, toolCalls, toolCallId } = message;
    const isCounted = before?.content === content && before.toolCalls === toolCalls;
    if (isCounted && before.toolCallId === toolCallId) return before.tokens;
    const tokens = wholeOf(counter, [message], []) - base;
    known.set(message, { content, toolCalls, toolCallId, tokens });
    return tokens;
  };
  return { of, base, isAdditive: true };
}

function wholeOf(
  counter: TokenCounter,
  messages: readonly ChatMessage[],
  tools: readonly ToolDescription[],
): number {
  const tokens =
    counter.countMessages?.([...messages], [...tools]) ??
    countMessages((text) => counter.count(text), messages, tools);
  requireCount(counter, tokens);
  return tokens;
}

function requireCount({ name }: TokenCounter, tokens: number): void {
  if (Number.isFinite(tokens) && tokens >= 0) return;
  const description = typeof tokens === "number" ? tokens : `a value of type ${typeof tokens}`;
  const message = `The counter ${JSON.stringify(name)} returned ${description} instead of a number of tokens from 0.`;
  throw new ContextCompilerError("invalid_options", message);
}
