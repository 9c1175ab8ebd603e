import { truncateMiddle, type ChatMessage, type Part } from "@ccl/core";

import { compactJson } from "../compact-forms/compact-json.ts";
import { compactText } from "../compact-forms/compact-text.ts";
import { type FitPolicy, formatCount } from "./fit-policy.ts";
import type { FitTraceEntry } from "./fit-trace.ts";
import { type HeldContent, partOf, stillHolds } from "./held-content.ts";
import { withoutReasoning } from "./reasoning-texts.ts";
import type { HistoryUnit } from "./history-unit.ts";

/** The messages of a unit as a prompt shows them. */
export interface ShownUnit {
  messages: readonly ChatMessage[];
  tokens: number;
  trace: readonly FitTraceEntry[];
}

/** The unit as it came. */
function showWhole(unit: HistoryUnit, { meter }: FitPolicy): ShownUnit {
  return { messages: unit.messages, tokens: sumOf(unit.messages, meter.of), trace: [] };
}

/** True for a unit with a message that the caller's `pin` keeps. */
export function isPinned({ messages, indexes }: HistoryUnit, { pin }: FitPolicy): boolean {
  return pin !== undefined && messages.some((message, at) => pin(message, indexes[at] ?? 0));
}

const smallestLimit = 24;

/**
 * The unit as it is shown after a cut: JSON results compact, and no result or answer of the model above its share of
 * `limitTokens`. Depends on nothing but the unit, the limit and the policy, so that it stays the same from call to call.
 */
export function showAfterCut(unit: HistoryUnit, limitTokens: number, policy: FitPolicy): ShownUnit {
  if (unit.kind === "user" || unit.kind === "system" || isPinned(unit, policy))
    return showWhole(unit, policy);
  const limit = Math.max(smallestLimit, Math.floor(limitTokens / unit.messages.length));
  const trace: FitTraceEntry[] = [];
  const messages = unit.messages.map((message, position) => {
    const shown = shorten(message, limit, policy);
    if (shown !== message) {
      const from = unit.indexes[position] ?? 0;
      const id = message.id === undefined ? {} : { messageId: message.id };
      const tokensBefore = policy.meter.of(message);
      const tokensAfter = policy.meter.of(shown);
      const action = isTruncated.has(shown) ? "truncated" : "compacted";
      trace.push({
        action,
        reason: "budget",
        from,
        to: from + 1,
        ...id,
        tokensBefore,
        tokensAfter,
      });
    }
    return shown;
  });
  return { messages, tokens: sumOf(messages, policy.meter.of), trace };
}

/** Forms by message, so that the same message is the same object at the next call. */
const forms = new WeakMap<ChatMessage, Map<string, HeldContent & { shown: ChatMessage }>>();
const isTruncated = new WeakSet<ChatMessage>();
const keptForms = 4;

function shorten(message: ChatMessage, limit: number, policy: FitPolicy): ChatMessage {
  const { counter } = policy.meter;
  const hint = policy.restHint?.(message) ?? "";
  const key = `${limit} ${policy.compactAboveTokens} ${counter.name} ${hint}`;
  let byKey = forms.get(message);
  const known = byKey?.get(key);
  if (known !== undefined && stillHolds(message, known)) return known.shown;
  const shown = shortenNow(message, { limit, hint, policy });
  if (byKey === undefined || byKey.size >= keptForms) forms.set(message, (byKey = new Map()));
  byKey.set(key, { content: message.content, part: partOf(message), shown });
  return shown;
}

interface Shortening {
  limit: number;
  hint: string;
  policy: FitPolicy;
}

function shortenNow(message: ChatMessage, { limit, hint, policy }: Shortening): ChatMessage {
  const { meter, compactAboveTokens } = policy;
  const isResult = message.role === "tool";
  const tokens = meter.of(message);
  if (tokens <= Math.min(limit, isResult ? compactAboveTokens : limit)) return message;
  const plain = tokens > limit ? withoutReasoning(message) : message;
  if (plain !== message) return marked(shortenNow(plain, { limit, hint, policy }));
  if (typeof message.content !== "string") return shortenParts(message, { limit, hint, policy });
  if (isResult) {
    const form = compactJson(message.content, { counter: meter.counter });
    if (form !== undefined) {
      const compact = { ...message, content: form.text };
      if (meter.of(compact) <= Math.min(limit, tokens * 0.95)) return compact;
    }
  }
  if (tokens <= limit) return message;
  const content = shortenText(
    message.content,
    { limit: limit - (tokens - meter.counter.count(message.content)), hint, policy },
    isResult,
  );
  return marked({ ...message, content });
}

function shortenText(text: string, { limit, hint, policy }: Shortening, isResult: boolean): string {
  const { counter } = policy.meter;
  const total = counter.count(text);
  const header = `[Shortened from ${formatCount(total)} tokens${hint === "" ? "" : `; ${hint}`}]\n`;
  const left = limit - counter.count(header) - 1;
  const short = isResult
    ? compactText(text, { counter, maxTokens: left })
    : truncateMiddle(text, { maxTokens: left, counter }).text;
  return short === "" ? header.trimEnd() : header + short;
}

/** Texts share what images and files leave; these go whole, each leaving its name. */
function shortenParts(message: ChatMessage, { limit, hint, policy }: Shortening): ChatMessage {
  if (typeof message.content === "string" || policy.meter.of(message) <= limit) return message;
  const texts = message.content.map((part): Part => {
    if (part.type === "text" || part.type === "reasoning") return part;
    return { type: "text", text: `[${part.type} of ${part.mimeType} removed]` };
  });
  // A signed reasoning text may not be changed, so it goes whole.
  const kept = texts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const bare = { ...message, content: kept };
  const tokens = policy.meter.of(bare);
  if (tokens <= limit) return marked({ ...message, content: [{ type: "text", text: kept }] });
  const own = limit - (tokens - policy.meter.counter.count(kept));
  const text = shortenText(kept, { limit: own, hint, policy }, message.role === "tool");
  return marked({ ...message, content: [{ type: "text", text }] });
}

function marked(message: ChatMessage): ChatMessage {
  isTruncated.add(message);
  return message;
}

function sumOf(
  messages: readonly ChatMessage[],
  tokensOf: (message: ChatMessage) => number,
): number {
  let sum = 0;
  for (const message of messages) sum += tokensOf(message);
  return sum;
}
