import type { ChatMessage } from "@ccl/core";

import { OperationsError } from "../operations-error.ts";
import { messageOf } from "../operation/message-of.ts";
import type { AssembledPrompt } from "../prompt/assembled-prompt.ts";
import { createPromptMeter } from "../prompt/prompt-meter.ts";
import { promptAfter, type PromptOf, sendableAfter } from "./operation-view.ts";
import { type RunContext, turnMessagesOf } from "./run-context.ts";

/**
 * The prompt of the main call within its budget. The fitter cuts the history before anything is inserted, so that what
 * operations add for this one turn does not move what the provider has cached.
 * @throws OperationsError as `promptAfter`
 */
export async function fittedPrompt(run: RunContext, of: PromptOf): Promise<AssembledPrompt> {
  const { trim } = of;
  const { fitter } = run.services;
  const whole = promptAfter(run, { ...of, trim: undefined });
  const calls = turnMessagesOf(run);
  if (trim === undefined) return withMessages(whole, calls);
  const meter = createPromptMeter(trim);
  const base = sendableAfter(run, of);
  const { messages: origins } = whole.explain;
  // The leading block as it is sent, then the history as it was.
  const added = whole.messages.filter((_, index) => origins[index]?.from === "insert");
  const kept = whole.messages.filter((_, index) => origins[index]?.from !== "insert");
  const leadCount = leadCountOf(base);
  const messages = [...kept.slice(0, leadCountOf(kept)), ...base.slice(leadCount), ...calls];
  const turnStart = messages.findIndex(({ id }) => id === run.input.userMessageId);
  const budget = added.reduce((left, message) => left - meter.of(message), meter.usable);
  const { chatId, branchId } = run.input;
  const { counter, tools } = trim;
  let fitted: readonly ChatMessage[];
  try {
    fitted = await fitter.fit({
      chatId,
      branchId,
      messages,
      turnStart: turnStart < 0 ? messages.length : turnStart,
      budget: Math.max(1, budget),
      counter,
      tools,
      signal: run.signal,
    });
  } catch (error) {
    run.signal.throwIfAborted();
    throw new OperationsError("invalid_options", messageOf(error), {
      cause: error,
      details: { operationCode: "budget_exceeded" },
    });
  }
  const ofTurn = new Set(calls.map(({ id }) => id));
  const history = fitted.slice(leadCountOf(fitted)).filter(({ id }) => !ofTurn.has(id));
  const ids = new Set(history.map(({ id }) => id));
  const prompt = promptAfter(run, { ...of, base: [...base.slice(0, leadCount), ...history] });
  const removed = base.slice(leadCount).filter(({ id }) => !ids.has(id));
  for (const { id } of removed)
    prompt.explain.trimmed.unshift({ messageIds: [id], reason: "budget" });
  return withMessages(
    prompt,
    fitted.filter(({ id }) => id !== undefined && ofTurn.has(id)),
  );
}

/** Tool calls of the turn stand behind all else. */
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

function leadCountOf(messages: readonly ChatMessage[]): number {
  const index = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return index < 0 ? messages.length : index;
}
