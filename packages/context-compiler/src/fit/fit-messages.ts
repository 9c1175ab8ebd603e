import type { ChatMessage, TokenCounter, ToolDefinition } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import { analyzeHistory, type History } from "./analyze-history.ts";
import { type AssembledPrompt, assemblePrompt } from "./assemble-prompt.ts";
import { anchorOf, cutHistory } from "./cut-history.ts";
import { fingerprintOf, fingerprintOfTools } from "./fingerprint.ts";
import type { ElidedRange, FitPolicy } from "./fit-policy.ts";
import { type FitState, type FrozenCut, requireState } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";
import { resolvePolicy } from "./resolve-policy.ts";
import { extendSettled, goesOn, type SettledMessages } from "./settled-messages.ts";

/** How a history is fitted. */
export interface FitOptions {
  /** Tokens for messages and tools as the provider counts them; there is no default, since it is yours to choose. */
  budget: number;
  /** Counts as the target's tokenizer does; core's estimate unless given. Must count messages one by one as it counts them together, or is asked for the whole each time. */
  counter?: TokenCounter | undefined;
  /** The share of the budget kept back, from 0 to below 1; 0 under an exact counter and 0.1 under an estimate unless given. */
  safetyMargin?: number | undefined;
  /** Counted with the messages, since they are part of the prompt. */
  tools?: readonly ToolDefinition[] | undefined;
  /** What the last call for this conversation gave: keeps the cut, and so the provider's cached prefix. */
  state?: FitState | undefined;
  /** True for messages that are never dropped; asked only when something has to be. Their calls and results stay with them. */
  pin?: ((message: ChatMessage, index: number) => boolean) | undefined;
  /**
   * Shares of what the usable budget leaves beside all that must stay: a cut goes down to `low` (0.1); of the usable budget:
   * once there was a cut, the next one waits until `high` (0.88) is passed.
   */
  watermarks?: { low?: number | undefined; high?: number | undefined } | undefined;
  /** After the first cut, JSON results above this are written as compact tables; default 100. */
  compactAboveTokens?: number | undefined;
  /** How much of what is dropped an elision marker keeps: the user's words, identifiers, short values. */
  keptFactsTokens?: number | undefined;
  /** How to get the rest of a message that is shown shortened, such as the call that reads its artifact. */
  restHint?: ((message: ChatMessage) => string | undefined) | undefined;
  /** A summary for a range that is dropped, instead of the facts; asked once, at the cut, and frozen with it. */
  summaryOf?: ((range: ElidedRange) => string | undefined) | undefined;
}

/** A prompt within its budget. */
export interface FittedMessages {
  messages: ChatMessage[];
  /** As counted by the caller's counter, tools included, and the reasoning that travels in `providerMetadata`. */
  tokens: number;
  trace: FitTraceEntry[];
  /** To be handed in with the next call; plain JSON. */
  state: FitState;
  /** Tokens of the prompt, tools first, that are the same as at the last call; 0 without a state. */
  prefixStableTokens: number;
  /** The index of the first message that differs from the last prompt or is new. */
  firstChangedMessage: number;
  /** At most 4 indexes of messages after which a cache breakpoint pays, ascending. */
  breakpoints: number[];
}

/**
 * Brings a history within a budget as messages that every provider accepts: unchanged while it fits, then cut to a low
 * watermark and frozen. Pure: the same input gives the same bytes. Throws `ContextCompilerError`.
 */
export function fitMessages(messages: readonly ChatMessage[], options: FitOptions): FittedMessages {
  const policy = resolvePolicy(messages, options);
  const state = options.state === undefined ? undefined : requireState(options.state);
  const memo = findMemo(state, messages, policy);
  const history = analyzeHistory(messages, policy.meter, memo?.history);
  const cut = state?.cut !== undefined && isCutOf(state.cut, history) ? state.cut : undefined;
  const isReset = state?.cut !== undefined && cut === undefined;
  const earlier =
    memo && !isReset
      ? { prompt: memo.prompt, settledUnits: memo.history.settled.units }
      : undefined;
  const limit = cut === undefined ? policy.usable : policy.usable * policy.high;
  // Far above the limit even a counter whose counts do not add up leaves nothing to be seen to the end.
  const giveUpAbove = 2 * limit + 1_000;
  const kept = assemblePrompt(history, { cut, policy, earlier }, giveUpAbove);
  if (memo === undefined) policy.meter.probe(kept.messages);
  const tokens =
    kept.tokens > giveUpAbove ? kept.tokens : policy.meter.total(() => kept.messages, kept.tokens);
  const fitted = tokens <= limit ? { cut, prompt: kept, tokens } : recut(history, policy);
  const settled = extendSettled(memo?.settled, messages, history.settled.messages);
  return finish(fitted, { settled, history, policy, state, isReset, tools: options.tools ?? [] });
}

interface Fitted {
  cut: FrozenCut | undefined;
  prompt: AssembledPrompt;
  tokens: number;
}

const maxAttempts = 12;

function recut(history: History, policy: FitPolicy): Fitted {
  let usable = policy.usable;
  for (let attempt = 0; ; attempt++) {
    const cut = cutHistory(history, { ...policy, usable });
    const prompt = assemblePrompt(history, { cut, policy });
    const tokens = policy.meter.total(() => prompt.messages, prompt.tokens);
    if (tokens <= policy.usable) return { cut, prompt, tokens };
    if (attempt === maxAttempts) {
      const message = `The counter "${policy.meter.counter.name}" counts messages together so far above their sum that no cut fits ${policy.usable} tokens.`;
      throw new ContextCompilerError("budget_exceeded", message, {
        details: { usable: policy.usable, tokens },
      });
    }
    usable -= Math.max(1, tokens - policy.usable);
  }
}

function isCutOf(cut: FrozenCut, history: History): boolean {
  return cut.from <= history.units.length && cut.anchor === anchorOf(history, cut.from);
}

interface Context {
  settled: SettledMessages;
  history: History;
  policy: FitPolicy;
  state: FitState | undefined;
  isReset: boolean;
  tools: readonly ToolDefinition[];
}

function finish({ cut, prompt, tokens }: Fitted, context: Context): FittedMessages {
  const { settled, history, policy, state, isReset } = context;
  const tools = fingerprintOfTools(context.tools);
  const before = state?.tools === tools ? state.shown : [];
  // What was taken over from the last prompt as it was needs no second look.
  let stable = prompt.resumed.messages;
  let stableTokens =
    state?.tools === tools ? Math.max(policy.meter.fixed, prompt.resumed.tokens) : 0;
  const shown = state?.shown.slice(0, stable) ?? [];
  for (const message of prompt.messages.slice(stable)) shown.push(fingerprintOf(message));
  if (state?.tools !== tools) stable = 0;
  while (stable < shown.length && shown[stable] === before[stable]) {
    const message = prompt.messages[stable++];
    if (message !== undefined) stableTokens += policy.meter.of(message);
  }
  const next: FitState = { version: 1, cut, shown, tools };
  memos.set(next, { settled, history, prompt, policy });
  const reset: FitTraceEntry[] = isReset
    ? [
        {
          action: "reset",
          reason: "state_mismatch",
          from: 0,
          to: 0,
          tokensBefore: 0,
          tokensAfter: 0,
        },
      ]
    : [];
  return {
    messages: prompt.messages.slice(),
    tokens,
    trace: [...reset, ...history.repairs, ...prompt.trace],
    state: next,
    prefixStableTokens: stableTokens,
    firstChangedMessage: stable,
    breakpoints: breakpointsOf(prompt, stable),
  };
}

function breakpointsOf(
  { messages, headEnd, frozenEnd }: AssembledPrompt,
  stable: number,
): number[] {
  const ends = [headEnd, frozenEnd, stable, messages.length].filter((end) => end > 0);
  return [...new Set(ends)].sort((a, b) => a - b).map((end) => end - 1);
}

/** What a call knew, so that the next one begins there; a state that was stored and read has none and gives the same. */
interface Memo {
  settled: SettledMessages;
  history: History;
  prompt: AssembledPrompt;
  policy: FitPolicy;
}

const memos = new WeakMap<FitState, Memo>();

function findMemo(
  state: FitState | undefined,
  messages: readonly ChatMessage[],
  policy: FitPolicy,
): Memo | undefined {
  const memo = state && memos.get(state);
  if (memo === undefined) return undefined;
  const isSamePolicy =
    memo.policy.meter.counter === policy.meter.counter &&
    memo.policy.meter.fixed === policy.meter.fixed &&
    memo.policy.compactAboveTokens === policy.compactAboveTokens;
  return isSamePolicy && goesOn(messages, memo.settled) ? memo : undefined;
}
