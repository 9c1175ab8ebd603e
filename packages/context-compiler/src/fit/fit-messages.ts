import { traced } from "@ccl/core/tracing";
import type { ChatMessage, ToolDescription } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import { analyzeHistory, type History } from "./analyze-history.ts";
import { type AssembledPrompt, assemblePrompt } from "./assemble-prompt.ts";
import { contextRecordOf } from "./context-record-of.ts";
import { conversationOf } from "./conversation-of.ts";
import { findRequired } from "./find-required.ts";
import { fingerprintOf, fingerprintOfTools } from "./fingerprint.ts";
import type { FitOptions, FittedMessages } from "./fit-options.ts";
import { type FitPolicy, resolvePolicy } from "./fit-policy.ts";
import type { FrozenCut } from "./fit-state.ts";
import type { FitTraceEntry } from "./fit-trace.ts";
import { anchorOf, planCut } from "./plan-cut.ts";

/**
 * Fits a history into a budget. Returns messages that every provider accepts. A history that
 * already fits is unchanged. A longer one is shortened and cut to fit the budget, and the cut is
 * frozen. Deterministic: the same input produces the same bytes. Throws `ContextCompilerError`.
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
  const history = analyzeHistory(messages, policy.meter);
  const cut = state?.cut !== undefined && isCutOf(state.cut, history) ? state.cut : undefined;
  const current = assemblePrompt(history, { cut, policy });
  policy.meter.probe(current.messages);
  const tokens = policy.meter.total(current.messages, current.tokens, policy.usable);
  const fitted =
    tokens <= policy.usable && !isWorthCutting(history, policy, tokens)
      ? { cut, prompt: current, tokens }
      : recut(history, policy);
  return finish(fitted, {
    history,
    policy,
    isReset: state?.cut !== undefined && cut === undefined,
    tools: options.tools ?? [],
  });
}

interface Fitted {
  cut: FrozenCut | undefined;
  prompt: AssembledPrompt;
  tokens: number;
}

/** Prompts of up to this many tokens are cheap enough not to cut early. */
const cheapTokens = 8_000;

/**
 * Returns true if, under the policy, a shorter prompt is worth changing the cached prefix before the
 * budget forces a cut.
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
    const prompt = assemblePrompt(history, { cut, policy });
    const tokens = policy.meter.total(prompt.messages, prompt.tokens, policy.usable);
    if (tokens <= policy.usable) return { cut, prompt, tokens };
    if (attempt === maxAttempts) {
      const message = `The counter "${policy.meter.counter.name}" counts a whole prompt as far more tokens than its messages one by one, so no cut fits into ${policy.usable} tokens.`;
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
  history: History;
  policy: FitPolicy;
  isReset: boolean;
  tools: readonly ToolDescription[];
}

function finish({ cut, prompt, tokens }: Fitted, context: Context): FittedMessages {
  const { history, policy, isReset } = context;
  const { meter, state } = policy;
  const tools = fingerprintOfTools(context.tools);
  const shown = prompt.messages.map(fingerprintOf);
  const known = state?.tools === tools ? state.shown : undefined;
  let stable = 0;
  let stableTokens = known === undefined ? 0 : meter.fixed;
  while (stable < shown.length && shown[stable] === known?.[stable]) {
    const message = prompt.messages[stable++];
    if (message !== undefined) stableTokens += meter.of(message);
  }
  const place = { from: 0, to: 0, tokensBefore: 0, tokensAfter: 0 };
  const reset: FitTraceEntry[] = isReset
    ? [{ action: "reset", reason: "state_mismatch", ...place }]
    : [];
  return {
    messages: prompt.messages,
    sources: prompt.sources,
    tokens,
    trace: [...reset, ...history.repairs, ...prompt.trace],
    state: { version: 2, cut, shown, tools, usages: state?.usages },
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
