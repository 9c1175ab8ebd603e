import { traced } from "@ccl/core/tracing";
import type { ChatMessage, ToolDescription } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import { analyzeHistory, type History } from "./analyze-history.ts";
import { type AssembledPrompt, assemblePrompt, type ShownMessages } from "./assemble-prompt.ts";
import { contextRecordOf } from "./context-record-of.ts";
import { conversationOf } from "./conversation-of.ts";
import { findRequired } from "./find-required.ts";
import { fingerprintOf, fingerprintOfTools } from "./fingerprint.ts";
import type { FitOptions, FittedMessages } from "./fit-options.ts";
import { type FitPolicy, resolvePolicy } from "./fit-policy.ts";
import type { FitState, FrozenCut } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";
import { anchorOf, planCut } from "./plan-cut.ts";
import { type HeldMessage, holdMessage, isSameMessage } from "./same-message.ts";

/**
 * Fits a history into a budget, as messages that every provider accepts. A history that fits is
 * unchanged. A longer one is shortened and cut so that it uses the budget, and the cut is frozen.
 * Pure: the same input gives the same bytes. Throws `ContextCompilerError`.
 */
export function fitMessages(messages: readonly ChatMessage[], options: FitOptions): FittedMessages {
  return traced("fit", { "ccl.messages.before": messages.length }, (span) => {
    const fitted = fit(messages, options);
    const { tokens, trace, messages: sent } = fitted;
    span.set({
      "ccl.messages.after": sent.length,
      "ccl.tokens.before": trace.reduce(
        (sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter,
        tokens,
      ),
      "ccl.tokens.after": tokens,
      "ccl.tokens.budget": options.budget,
    });
    if (options.record !== undefined) {
      const facts = { source: "fitMessages", session: conversationOf(messages) };
      options.record.add(contextRecordOf(messages, fitted, { ...options, ...facts }));
    }
    return fitted;
  });
}

function fit(messages: readonly ChatMessage[], options: FitOptions): FittedMessages {
  const policy = resolvePolicy(messages, options);
  const { state } = policy;
  const memo = findMemo(state, messages, policy);
  const input =
    memo === undefined ? messages : [...memo.messages, ...messages.slice(memo.messages.length)];
  const history = analyzeHistory(input, policy.meter, memo?.history);
  const cut = state?.cut !== undefined && isCutOf(state.cut, history) ? state.cut : undefined;
  const shown: ShownMessages = memo !== undefined && cut === state?.cut ? memo.shown : new Map();
  const kept = assemblePrompt(history, { cut, policy, shown });
  if (memo === undefined) policy.meter.probe(kept.messages);
  const tokens = policy.meter.total(kept.messages, kept.tokens, policy.usable);
  const fitted =
    tokens <= policy.usable && !isWorthCutting(history, policy, tokens)
      ? { cut, prompt: kept, tokens, shown }
      : recut(history, policy);
  return finish(fitted, {
    messages: input,
    held: memo?.held ?? [],
    history,
    policy,
    state,
    before: memo?.prompt,
    isReset: state?.cut !== undefined && cut === undefined,
    tools: options.tools ?? [],
  });
}

interface Fitted {
  cut: FrozenCut | undefined;
  prompt: AssembledPrompt;
  tokens: number;
  shown: ShownMessages;
}

/** A prompt of up to this many tokens is cheap without a cut. */
const cheapTokens = 8_000;

/**
 * True if, by the policy, a shorter prompt is worth a new prefix before the budget requires a cut.
 */
function isWorthCutting(history: History, policy: FitPolicy, tokens: number): boolean {
  const { usable, cutAbove } = policy;
  if (tokens <= Math.max(cheapTokens, usable * cutAbove)) return false;
  const required = findRequired(history, policy).tokens;
  return tokens > required + (usable - required) * cutAbove;
}

const maxAttempts = 12;

function recut(history: History, policy: FitPolicy): Fitted {
  let usable = policy.usable;
  for (let attempt = 0; ; attempt++) {
    const cut = planCut(history, { ...policy, usable });
    const shown: ShownMessages = new Map();
    const prompt = assemblePrompt(history, { cut, policy, shown });
    const tokens = policy.meter.total(prompt.messages, prompt.tokens, policy.usable);
    if (tokens <= policy.usable) return { cut, prompt, tokens, shown };
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
  messages: readonly ChatMessage[];
  held: readonly HeldMessage[];
  history: History;
  policy: FitPolicy;
  state: FitState | undefined;
  /** The prompt of the last call. `state.shown` has the fingerprints of its messages. */
  before: AssembledPrompt | undefined;
  isReset: boolean;
  tools: readonly ToolDescription[];
}

function finish({ cut, prompt, tokens, shown }: Fitted, context: Context): FittedMessages {
  const { history, policy, state, isReset, before } = context;
  const tools = fingerprintOfTools(context.tools);
  const marks = state?.shown ?? [];
  const nextMarks = prompt.messages.map((message, at) => {
    const isKnown = at < (before?.settledEnd ?? 0) && before?.messages[at] === message;
    return (isKnown ? marks[at] : undefined) ?? fingerprintOf(message);
  });
  const hasSameTools = state?.tools === tools;
  let stable = 0;
  let stableTokens = hasSameTools ? policy.meter.fixed : 0;
  const known = hasSameTools ? marks : [];
  while (stable < nextMarks.length && nextMarks[stable] === known[stable]) {
    const message = prompt.messages[stable++];
    if (message !== undefined) stableTokens += policy.meter.of(message);
  }
  const next: FitState = { version: 2, cut, shown: nextMarks, tools, usages: state?.usages };
  const settled = history.settled.messages;
  const fresh = context.messages.slice(context.held.length, settled).map(holdMessage);
  memos.set(next, {
    messages: context.messages.slice(0, settled),
    held: [...context.held, ...fresh],
    history,
    prompt,
    shown,
    policy,
  });
  const place = { from: 0, to: 0, tokensBefore: 0, tokensAfter: 0 };
  const reset: FitTraceEntry[] = isReset
    ? [{ action: "reset", reason: "state_mismatch", ...place }]
    : [];
  return {
    messages: prompt.messages.slice(),
    sources: prompt.sources,
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

/**
 * Intermediate results of a call, so that the next one can start from there. A state that was
 * stored and read back has no memo and gives the same result.
 */
interface Memo {
  /**
   * The messages before the last assistant message, with their contents. Later messages can't
   * change them.
   */
  messages: readonly ChatMessage[];
  held: readonly HeldMessage[];
  history: History;
  prompt: AssembledPrompt;
  shown: ShownMessages;
  policy: FitPolicy;
}

const memos = new WeakMap<FitState, Memo>();

/**
 * Finds the memo of a state, if the messages begin with those of the memo. They may be the same or
 * equal objects.
 */
function findMemo(
  state: FitState | undefined,
  messages: readonly ChatMessage[],
  { meter }: FitPolicy,
): Memo | undefined {
  const memo = state && memos.get(state);
  if (memo === undefined || memo.policy.meter.counter !== meter.counter) return undefined;
  const { held, messages: known } = memo;
  if (memo.policy.meter.fixed !== meter.fixed || messages.length < held.length) return undefined;
  if ((messages[held.length]?.role ?? "assistant") !== "assistant") return undefined;
  const isSame = held.every((one, at) => {
    const message = messages[at];
    // The object is frozen, so its contents need no comparison.
    if (message === one) return true;
    const own = known[at];
    // The object in the history may have been changed too.
    return (
      message !== undefined &&
      own !== undefined &&
      isSameMessage(message, one) &&
      (own === message || isSameMessage(own, one))
    );
  });
  return isSame ? memo : undefined;
}
