import { truncateMiddle, type ChatMessage, type Part, type TokenCounter } from "@ccl/core";
import { createMessageMeter } from "../fit/message-meter.ts";
import { requireNumbers } from "../fit/require-that.ts";
import type { ContextProcessor } from "./context-processor.ts";
import type { ContextEntry, Summarize } from "./working-context.ts";

/** Options of `compactor`. */
export interface CompactorOptions {
  /**
   * Writes a summary that replaces the facts of a dropped range. Called once per range. The log
   * stores the summary.
   */
  summarize?: Summarize | undefined;
  /**
   * Maximum tokens of a message by a person or model once the whole prompt exceeds the budget.
   * Longer ones are cut in the middle. Half of the budget by default.
   */
  maxMessageTokens?: number | undefined;
}

/**
 * Trims whitespace around messages, cuts overlong messages in the middle with a marker, and joins
 * consecutive short plain messages by the same speaker.
 */
export function compactor(options: CompactorOptions = {}): ContextProcessor {
  requireNumbers("compactor", options, "maxMessageTokens");
  const { summarize, maxMessageTokens } = options;
  return {
    name: "compactor",
    process({ context, budget, counter }) {
      const { of: tokensOf } = createMessageMeter(counter);
      const maxTokens = maxMessageTokens ?? (context.isWithinBudget() ? Infinity : budget / 2);
      const limit = { maxTokens: Math.floor(maxTokens), counter, tokensOf, budget };
      const entries: ContextEntry[] = [];
      for (const original of context.entries) {
        const entry = shortenEntry(original, limit);
        const before = entries.at(-1);
        const joined = before === undefined ? undefined : joinEntries(before, entry, limit);
        if (joined !== undefined) entries.pop();
        entries.push(joined ?? entry);
      }
      const isChanged = entries.some((entry, at) => entry !== context.entries[at]);
      return isChanged || summarize !== undefined ? context.with({ entries, summarize }) : context;
    },
  };
}

interface Limit {
  maxTokens: number;
  budget: number;
  counter: TokenCounter;
  tokensOf(message: ChatMessage): number;
}

function shortenEntry(entry: ContextEntry, limit: Limit): ContextEntry {
  const { message } = entry;
  const content = shortenContent(message, limit);
  return content === message.content ? entry : { ...entry, message: { ...message, content } };
}

function shortenContent(message: ChatMessage, limit: Limit): ChatMessage["content"] {
  const { content } = message;
  // The history selector decides how much of a result to show, once the available room is known.
  const isLong = message.role !== "tool" && limit.tokensOf(message) > limit.maxTokens;
  if (typeof content === "string") return shortenText(content, isLong, limit);
  let isChanged = false;
  const parts = content.map((part): Part => {
    // A provider rejects signed reasoning that was changed.
    if (part.type !== "text") return part;
    const text = shortenText(part.text, isLong, limit);
    isChanged ||= text !== part.text;
    return text === part.text ? part : { ...part, text };
  });
  return isChanged ? parts : content;
}

function shortenText(text: string, isLong: boolean, limit: Limit): string {
  const trimmed = text.trimEnd();
  return isLong ? truncateMiddle(trimmed, limit).text : trimmed;
}

/**
 * Only short messages are joined, since a joined message can only be dropped or kept as a whole.
 */
const joinedShare = 0.25;

function joinEntries(
  before: ContextEntry,
  after: ContextEntry,
  limit: Limit,
): ContextEntry | undefined {
  const { role, source } = before.message;
  const isOneVoice = role === after.message.role && source === after.message.source;
  if (!isOneVoice || !isPlain(before.message) || !isPlain(after.message)) return undefined;
  const tokens = limit.tokensOf(before.message) + limit.tokensOf(after.message);
  if (tokens > Math.min(limit.maxTokens, limit.budget / 2) * joinedShare) return undefined;
  const texts = [before, after]
    .map(({ message }) => String(message.content))
    .filter((text) => text !== "");
  return {
    message: { role, content: texts.join("\n\n"), source },
    eventIds: [...before.eventIds, ...after.eventIds],
  };
}

/** True for a message that contains only text. */
function isPlain({ id, role, content, toolCalls, providerMetadata }: ChatMessage): boolean {
  const isSpoken = role === "user" || role === "assistant";
  const isBare = id === undefined && toolCalls === undefined && providerMetadata === undefined;
  return isSpoken && isBare && typeof content === "string";
}
