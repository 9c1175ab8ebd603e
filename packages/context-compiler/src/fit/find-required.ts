import type { ChatMessage } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import type { History } from "./analyze-history.ts";
import type { FitPolicy } from "./fit-policy.ts";
import type { HistoryUnit } from "./history-unit.ts";
import { readableText, textKey, withText } from "./message-texts.ts";
import { cutText } from "./shorten-text.ts";

/**
 * Token counts of the messages that can't be dropped. Passed as the `details` of `budget_exceeded`.
 */
export interface BudgetBreakdown {
  budget: number;
  /** The budget minus the safety margin. */
  usable: number;
  systemPrompt: number;
  /** The tools and the prompt's framing. */
  tools: number;
  lastUserTurn: number;
  /** Pinned messages, system messages inside the conversation, and the first user turn. */
  pinned: number;
  /** The shortest markers for everything that could be dropped. */
  markers: number;
}

/** Messages that every cut keeps. */
export interface Required {
  units: ReadonlySet<number>;
  tokens: number;
  /** The shortened text of the first user turn, if it exceeds its share. */
  texts: Readonly<Record<string, string>>;
  breakdown: BudgetBreakdown;
}

/**
 * Share of the room left by other required messages that the first user turn may take. A longer
 * turn is cut in the middle.
 */
const taskShare = 0.5;
const shortestTask = 24;

/**
 * Finds the required messages: the system prompt, the first and last user turns, and pins. Throws
 * `budget_exceeded` if they do not fit.
 */
export function findRequired({ head, units }: History, policy: FitPolicy): Required {
  const { meter } = policy;
  const sum = (messages: readonly ChatMessage[]): number =>
    messages.reduce((total, message) => total + meter.of(message), 0);
  const isUser = ({ kind }: HistoryUnit): boolean => kind === "user";
  const lastUser = units.findLastIndex(isUser);
  const task = units.findIndex(isUser);
  const breakdown: BudgetBreakdown = {
    budget: policy.budget,
    usable: policy.usable,
    systemPrompt: sum(head),
    tools: meter.fixed,
    lastUserTurn: units[lastUser]?.tokens ?? 0,
    pinned: 0,
    markers: 0,
  };
  const required = new Set<number>(lastUser < 0 ? [] : [lastUser]);
  for (const [at, unit] of units.entries()) {
    if (at === lastUser || (unit.kind !== "system" && !isPinned(unit, policy))) continue;
    required.add(at);
    breakdown.pinned += unit.tokens;
  }
  const { systemPrompt, tools, lastUserTurn, pinned } = breakdown;
  const tokens = systemPrompt + tools + lastUserTurn + pinned;
  if (tokens > policy.usable) throw exceeded(breakdown);
  const unit = units[task];
  if (unit === undefined || required.has(task))
    return { units: required, tokens, texts: {}, breakdown };
  const limit = Math.floor((policy.usable - tokens) * taskShare);
  const shown = showTask(unit, limit, policy);
  if (shown === undefined) return { units: required, tokens, texts: {}, breakdown };
  required.add(task);
  breakdown.pinned += shown.tokens;
  return { units: required, tokens: tokens + shown.tokens, texts: shown.texts, breakdown };
}

/** Returns the first user turn, cut to a limit. Undefined if almost nothing of it would fit. */
function showTask(
  { messages: [message], indexes, tokens }: HistoryUnit,
  limit: number,
  { meter, restHint }: FitPolicy,
): { tokens: number; texts: Record<string, string> } | undefined {
  if (tokens <= limit) return { tokens, texts: {} };
  if (message === undefined || limit < shortestTask) return undefined;
  const [index = 0] = indexes;
  const { counter } = meter;
  const hint = restHint?.(message, index) ?? "";
  const text = cutText(readableText(message), { counter, maxTokens: limit - 8, query: "", hint });
  const short = meter.of(withText(message, text));
  return short > limit ? undefined : { tokens: short, texts: { [textKey(message, index)]: text } };
}

function isPinned({ messages, indexes }: HistoryUnit, policy: FitPolicy): boolean {
  return messages.some((message, at) => policy.isPinned(message, indexes[at] ?? 0));
}

export function exceeded(breakdown: BudgetBreakdown): ContextCompilerError {
  const { budget, usable, systemPrompt, tools, lastUserTurn, pinned, markers } = breakdown;
  const message = `The required messages do not fit ${usable} usable tokens of a budget of ${budget}: system prompt ${systemPrompt}, tools ${tools}, last user turn ${lastUserTurn}, pinned ${pinned}, markers ${markers}. Shorten it or raise the budget.`;
  return new ContextCompilerError("budget_exceeded", message, { details: breakdown });
}
