import {
  type ChatMessage,
  failure,
  type Result,
  success,
  TokenBudget,
  type ToolDescription,
} from "@ccl/core";

import { messageOf } from "../operation/message-of.ts";
import type { AssembledPrompt, PromptTrim } from "../prompt/assembled-prompt.ts";
import { leadCountOf } from "../prompt/base-layout.ts";
import { tokensOf } from "../operation/tokens-of.ts";
import { assembleAfter, type PromptOf, sendableAfter } from "./assemble-after.ts";
import { type RunContext, turnMessagesOf } from "./run-context.ts";

/**
 * Returns the prompt of the main call, trimmed to its window if any. Issues as in `assembleAfter`, and
 * `budget_exceeded`.
 */
export async function fittedPrompt(
  run: RunContext,
  of: PromptOf,
  trim: PromptTrim | undefined,
): Promise<Result<AssembledPrompt>> {
  const whole = assembleAfter(run, of);
  if (!whole.ok) return whole;
  if (trim === undefined) return success(withMessages(whole.value, turnMessagesOf(run)));
  const meter = createPromptMeter(trim);
  const base = sendableAfter(run, of);
  const { inserted, lead } = partsOf(whole.value);
  const sum = (messages: readonly ChatMessage[]): number =>
    messages.reduce((total, message) => total + meter.of(message), 0);
  const added = sum(inserted);
  const updates = Math.max(0, sum(lead) - sum(base.slice(0, leadCountOf(base))));
  if (added + updates > meter.usable)
    return exceeded(
      `Inserts take ${added + updates} tokens where ${meter.usable} may be used for them; shorten them or allow more.`,
    );
  return fit(run, { of, trim, meter, base, lead, budget: meter.usable - added });
}

interface Fitting {
  of: PromptOf;
  trim: PromptTrim;
  meter: PromptMeter;
  /** The system prompt and the history, before any effects. */
  base: readonly ChatMessage[];
  /** The final leading block, with updates. */
  lead: readonly ChatMessage[];
  /** Budget for everything except inserts. */
  budget: number;
}

// A counter may count more for the whole than for its parts, so fitting is repeated.
const maxFits = 3;

/** Trims the history before anything is inserted, so that additions for one turn do not shift the cached part. */
async function fit(run: RunContext, fitting: Fitting): Promise<Result<AssembledPrompt>> {
  const { of, trim, meter, base, lead } = fitting;
  const calls = turnMessagesOf(run);
  const messages = [...lead, ...base.slice(leadCountOf(base)), ...calls];
  const turnStart = messages.findIndex(({ id }) => id === run.input.userMessageId);
  const { chatId, branchId } = run.input;
  const request = {
    chatId,
    branchId,
    messages,
    turnStart: turnStart < 0 ? messages.length : turnStart,
    counter: trim.counter,
    tools: trim.tools,
    signal: run.signal,
  };
  let { budget } = fitting;
  let tokens = 0;
  for (let count = 1; count <= maxFits; count += 1) {
    let fitted: readonly ChatMessage[];
    try {
      fitted = await run.services.fitter.fit({ ...request, budget: Math.max(1, budget) });
    } catch (error) {
      run.signal.throwIfAborted();
      return exceeded(messageOf(error));
    }
    const prompt = shownOf(run, { of, base, fitted, calls });
    if (!prompt.ok) return prompt;
    tokens = meter.ofAll(prompt.value.messages);
    if (tokens <= meter.usable) return success({ ...prompt.value, tokens });
    budget -= tokens - meter.usable;
  }
  return exceeded(
    `The prompt has ${tokens} tokens where ${meter.usable} may be used; shorten what operations insert, or allow more.`,
  );
}

/** Returns the kept part of the history, with everything that operations add. */
function shownOf(
  run: RunContext,
  {
    of,
    base,
    fitted,
    calls,
  }: Pick<Fitting, "of" | "base"> & Record<"fitted" | "calls", readonly ChatMessage[]>,
): Result<AssembledPrompt> {
  const leadCount = leadCountOf(base);
  const ofTurn = new Set(calls.map(({ id }) => id));
  const history = fitted.slice(leadCountOf(fitted)).filter(({ id }) => !ofTurn.has(id));
  const ids = new Set(history.map(({ id }) => id));
  const prompt = assembleAfter(run, { ...of, base: [...base.slice(0, leadCount), ...history] });
  if (!prompt.ok) return prompt;
  for (const { id } of base.slice(leadCount))
    if (!ids.has(id)) prompt.value.explain.trimmed.push({ messageIds: [id], reason: "budget" });
  const shown = fitted.filter(({ id }) => id !== undefined && ofTurn.has(id));
  return success(withMessages(prompt.value, shown));
}

function partsOf({
  messages,
  explain,
}: AssembledPrompt): Record<"inserted" | "lead", ChatMessage[]> {
  const isInsert = (_: ChatMessage, at: number): boolean => explain.messages[at]?.from === "insert";
  const kept = messages.filter((message, at) => !isInsert(message, at));
  return { inserted: messages.filter(isInsert), lead: kept.slice(0, leadCountOf(kept)) };
}

function exceeded(message: string): Result<never> {
  return failure({ code: "budget_exceeded", path: [], message });
}

/** Appends the turn's tool calls after everything else. */
function withMessages(prompt: AssembledPrompt, added: readonly ChatMessage[]): AssembledPrompt {
  const { messages, explain } = prompt;
  const origins = added.map(({ id }) => ({
    from: "base" as const,
    messageId: id,
    contributors: [],
  }));
  return {
    ...prompt,
    messages: [...messages, ...added],
    explain: { ...explain, messages: [...explain.messages, ...origins] },
  };
}

/** Counts tokens, including the target's framing. */
interface PromptMeter {
  /** The budget less the safety margin. */
  usable: number;
  /** Counts the tokens of one message among others. */
  of(message: ChatMessage): number;
  /** Counts the tokens of a whole prompt. */
  ofAll(messages: readonly ChatMessage[]): number;
}

/** Creates the meter for one assembly. */
function createPromptMeter(trim: PromptTrim): PromptMeter {
  const { counter, budget, tools = [] } = trim;
  const count = (messages: readonly ChatMessage[], counted: readonly ToolDescription[]): number =>
    tokensOf(counter, messages, counted);
  const total = Math.min(Math.floor(budget), Number.MAX_SAFE_INTEGER);
  const once = count([], []);
  return {
    // Nothing fits a budget of 0.
    usable: total >= 1 ? new TokenBudget({ total, counter }).usable : 0,
    of: (message) => count([message], []) - once,
    ofAll: (messages) => count(messages, tools),
  };
}
