import { countMessages, estimatedCounter, type ChatMessage, type TokenCounter, type ToolDefinition } from "@ccl/core";

/** Counts messages one by one, each once; the sum over the messages and `fixed` is what the caller's counter says. */
export interface MessageMeter {
  counter: TokenCounter;
  /** The framing of an empty prompt with its tools. */
  fixed: number;
  of(message: ChatMessage): number;
  /** The whole prompt by the caller's counter, without the cache. */
  whole(messages: readonly ChatMessage[]): number;
  /** The sum, or the whole where the counter has shown that its counts do not add up. */
  total(messages: () => readonly ChatMessage[], sum: number): number;
  /** Compares the sum with the whole over a bounded sample, so that such a counter is noticed. */
  probe(messages: readonly ChatMessage[]): void;
}

interface Entry {
  content: ChatMessage["content"];
  toolCalls: ChatMessage["toolCalls"];
  tokens: number;
}

interface Memory {
  messages: WeakMap<ChatMessage, Entry>;
  base: number;
  tools: { list: readonly ToolDefinition[]; tokens: number } | undefined;
  isAdditive: boolean;
}

const memories = new WeakMap<TokenCounter, Memory>();
const sampleMessages = 24;
const sampleTokens = 4_000;

/** Counts are kept with the message object for as long as it lives; a replaced `content` is counted anew. */
export function createMessageMeter(
  counter: TokenCounter = estimatedCounter,
  tools: readonly ToolDefinition[] = [],
): MessageMeter {
  const wholeOf = (messages: readonly ChatMessage[], with_: readonly ToolDefinition[]): number =>
    counter.countMessages?.([...messages], [...with_]) ?? countMessages((text) => counter.count(text), messages, with_);
  let memory = memories.get(counter);
  if (memory === undefined) {
    memory = { messages: new WeakMap(), base: wholeOf([], []), tools: undefined, isAdditive: true };
    memories.set(counter, memory);
  }
  const kept = memory;
  if (kept.tools === undefined || !isSameList(kept.tools.list, tools)) {
    kept.tools = { list: [...tools], tokens: wholeOf([], tools) };
  }
  const fixed = kept.tools.tokens;
  const of = (message: ChatMessage): number => {
    const entry = kept.messages.get(message);
    if (entry !== undefined && entry.content === message.content && entry.toolCalls === message.toolCalls) {
      return entry.tokens;
    }
    const tokens = wholeOf([message], []) - kept.base;
    kept.messages.set(message, { content: message.content, toolCalls: message.toolCalls, tokens });
    return tokens;
  };
  const whole = (messages: readonly ChatMessage[]): number => wholeOf(messages, tools);
  return {
    counter,
    fixed,
    of,
    whole,
    total: (messages, sum) => (kept.isAdditive ? sum : whole(messages())),
    probe: (messages) => {
      if (!kept.isAdditive) return;
      const sample: ChatMessage[] = [];
      let sum = 0;
      for (let index = 0; index < messages.length && sample.length < sampleMessages; index++) {
        const message = messages[index];
        if (message === undefined || of(message) > sampleTokens - sum) continue;
        sample.push(message);
        sum += of(message);
      }
      kept.isAdditive = whole(sample) === fixed + sum;
    },
  };
}

function isSameList<Item>(before: readonly Item[], now: readonly Item[]): boolean {
  return before.length === now.length && before.every((item, index) => item === now[index]);
}
