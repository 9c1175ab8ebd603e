import { setImmediate } from "node:timers/promises";

import { identifiersOf } from "@ccl/compress";
import { ContextCompilerError, type FitState, fitMessages } from "@ccl/context-compiler";
import type { ChatMessage } from "@ccl/core";
import type { ContextPart } from "@ccl/core/tracing";

import { InspectorError } from "../inspector-error.ts";
import type { ReplayedPrompt, ReplayView } from "../views.ts";
import { type SessionPrompt, sumBy, usdOf } from "./prompt-sessions.ts";

/** The budget and policy for a replay. */
interface ReplayOptions extends Omit<ReplayView, "prompts"> {
  model: string | undefined;
  signal: AbortSignal;
}

/**
 * Fits the original prompts of a session into another budget, in order.
 * @throws if only sizes were recorded, and `ContextCompilerError` for an unknown policy
 */
export async function replayPrompts(
  prompts: readonly SessionPrompt[],
  { budget, policy, model, signal }: ReplayOptions,
): Promise<ReplayedPrompt[]> {
  const replayed: ReplayedPrompt[] = [];
  let state: FitState | undefined;
  for (const [at, { row, parts }] of prompts.entries()) {
    // Let other views run.
    await setImmediate();
    signal.throwIfAborted();
    const messages = messagesOf(parts);
    const fixed = sumBy(parts, ({ kind, tokens }) => (isFixed(kind) ? tokens : 0));
    const facts = { at, sentTokens: row.cached + row.fresh, usd: row.usd };
    try {
      const fitted = fitMessages(messages, { budget: budget - fixed, policy, state });
      ({ state } = fitted);
      const shown = textOf(fitted.messages);
      const tokens = fitted.tokens + fixed;
      const cached = fitted.prefixStableTokens;
      const regrets = callsAfter(parts, prompts[at + 1]?.parts ?? [])
        .flatMap(identifiersOf)
        .flatMap((value) => {
          const part = shown.includes(value)
            ? -1
            : parts.findLastIndex(({ text }) => text?.includes(value));
          return part < 0 ? [] : [{ value, part, tool: parts[part]?.tool }];
        });
      const replayedUsd = usdOf(cached, tokens - cached, model);
      replayed.push({ ...facts, tokens, cached, replayedUsd, regrets });
    } catch (error) {
      const isTooSmall = ContextCompilerError.isInstance(error) && error.code === "budget_exceeded";
      if (!isTooSmall) throw error;
      replayed.push({ ...facts, problem: error.message, regrets: [] });
    }
  }
  return replayed;
}

/** True for parts that budgets never shorten and that are not part of a message's text. */
function isFixed(kind: ContextPart["kind"]): boolean {
  return kind === "tools" || kind === "media";
}

/**
 * Reconstructs the original messages. A record names only the first call of a message, so each
 * result restores its missing call.
 */
function messagesOf(parts: readonly ContextPart[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const called = new Set<string>();
  for (const [at, part] of parts.entries()) {
    const { kind, text, tokens, tool: name = "tool", callId: id = `part-${at}` } = part;
    if (isFixed(kind) || (text === undefined && tokens === 0)) continue;
    if (text === undefined)
      throw new InspectorError(
        "unknown_view",
        "Only sizes of this session were recorded, so it can't be replayed. Record texts with ccl proxy --record or recordTo(folder, { texts: true }).",
      );
    if (kind === "system" || kind === "user") {
      messages.push({ role: kind, content: text });
      continue;
    }
    const isCall = kind === "call" || part.callId !== undefined;
    if (kind !== "result" || !called.has(id)) {
      let message = messages.findLast(({ role }) => role !== "tool");
      if (message?.role !== "assistant" || (kind !== "result" && messages.at(-1) !== message)) {
        message = { role: "assistant", content: "" };
        messages.push(message);
      }
      if (kind !== "call" && kind !== "result") message.content = `${message.content}${text}`;
      if (isCall || kind === "result") {
        called.add(id);
        const call = { id, name, arguments: kind === "call" ? text : "" };
        message.toolCalls = [...(message.toolCalls ?? []), call];
      }
    }
    if (kind === "result") messages.push({ role: "tool", toolCallId: id, content: text });
  }
  return messages;
}

function textOf(messages: readonly ChatMessage[]): string {
  return messages
    .flatMap(({ content, toolCalls = [] }) => [
      typeof content === "string" ? content : JSON.stringify(content),
      ...toolCalls.map((call) => call.arguments),
    ])
    .join("\n");
}

/**
 * Returns the texts of the calls in the answer to a prompt. Returns an empty list if the next
 * prompt does not extend it.
 */
function callsAfter(parts: readonly ContextPart[], next: readonly ContextPart[]): string[] {
  if (next[parts.length - 1]?.text !== parts.at(-1)?.text) return [];
  const added = next.slice(parts.length);
  const end = added.findIndex(({ kind }) => kind === "user" || kind === "result");
  return added
    .slice(0, end < 0 ? undefined : end)
    .flatMap(({ callId, text = "" }) => (callId === undefined ? [] : [text]));
}
