import {
  type ChatMessage,
  type Result,
  TokenBudget,
  type ToolDescription,
  failure,
  success,
} from "@ccl/core";

import { messageOf } from "../operation/message-of.ts";
import type {
  AssembledPrompt,
  EffectInput,
  InclusionInput,
  PromptTrim,
} from "../prompt/assembled-prompt.ts";
import { leadCountOf } from "../prompt/base-layout.ts";
import { tokensOf } from "../operation/tokens-of.ts";
import {
  type ArtifactMap,
  type RunContext,
  previousArtifact,
  turnMessagesOf,
} from "./run-context.ts";
import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import { writtenArtifact } from "../artifact/written-artifact.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import { type OperationEffect, isPromptEffect } from "../effects/operation-effect.ts";
import { valuesByTag } from "../kinds/template-scope-of.ts";
import { OperationsError } from "../operations-error.ts";
import { assemblePrompt } from "../prompt/assemble-prompt.ts";
import { sendableHistory } from "../prompt/sendable-history.ts";
import { type OperationRecord, effectsOf, writeOf } from "./operation-record.ts";

/** The inputs of a prompt. */
export interface PromptOf {
  /** The operations that have ended, in commit order. */
  records: readonly OperationRecord[];
  artifacts: ArtifactMap;
  /** Replaces the run's history. */
  base?: readonly ChatMessage[] | undefined;
}

/** Returns the artifacts at the start of the hook, plus the writes of these operations in commit order. */
export function artifactsAfter(run: RunContext, records: readonly OperationRecord[]): ArtifactMap {
  const { runId, startedAt } = run.input;
  const changed: Record<string, OperationArtifact> = {};
  for (const record of records) {
    const write = writeOf(record);
    if (write === undefined) continue;
    const stamp = { runId, writtenAt: record.end?.finishedAt ?? startedAt };
    changed[write.tag] = writtenArtifact(previousArtifact(run, write), write, stamp);
  }
  return Object.freeze({ ...run.artifacts, ...changed });
}

/** Returns the prompt. @throws OperationsError whose `details.operationCode` says why it is missing */
export function requirePrompt(assembled: Result<AssembledPrompt>): AssembledPrompt {
  if (assembled.ok) return assembled.value;
  const [issue] = assembled.issues;
  const operationCode =
    issue?.code === "invalid_anchor" || issue?.code === "anchor_trimmed"
      ? "policy_error"
      : issue?.code;
  const details = { operationCode };
  throw new OperationsError("invalid_options", issue?.message ?? "The prompt can't be assembled.", {
    details,
  });
}

/**
 * Assembles the prompt after these operations. Paths of issues about effects contain the index into `promptEffectsOf`.
 */
export function assembleAfter(
  run: RunContext,
  { records, artifacts, base = sendableAfter(run, { records, artifacts }) }: PromptOf,
): Result<AssembledPrompt> {
  const { limits } = run.services;
  const options = {
    base,
    counter: limits.prompt?.counter,
    effects: promptEffectsOf(records),
    userMessageId: run.input.userMessageId,
    art: valuesByTag(artifacts),
  };
  const inclusions = inclusionsOf(run, artifacts);
  const assembled = assemblePrompt({ ...options, inclusions });
  if (assembled.ok) return assembled;
  // An inclusion from an earlier turn must not break all later prompts.
  const broken = new Set(
    assembled.issues.flatMap(({ path }) => (path[0] === "inclusions" ? [path[1]] : [])),
  );
  if (broken.size === 0) return assembled;
  const usable = inclusions.filter(({ tag }) => !broken.has(tag));
  const repeated = assemblePrompt({ ...options, inclusions: usable });
  if (!repeated.ok) return repeated;
  const { dropped } = repeated.value.explain;
  for (const { tag } of inclusions)
    if (broken.has(tag))
      dropped.push({ contributor: { kind: "inclusion", tag }, reason: "unrenderable" });
  return repeated;
}

/**
 * Returns the system prompt from the turn's settings, and a history that providers accept. The user's message is the
 * variant selected by these operations.
 * @throws OperationsError if the system prompt cannot be rendered
 */
export function sendableAfter(
  run: RunContext,
  { records, artifacts }: PromptOf,
): readonly ChatMessage[] {
  const { history, input, turn } = run;
  const selected = withUserVariant(history, input.userMessageId, records.flatMap(effectsOf));
  const sendable = sendableHistory(selected);
  if (turn.system === undefined) return sendable;
  const scope = { art: valuesByTag(artifacts), vars: turn.vars, chatHistory: selected };
  const content = defaultRenderer().render(turn.system, scope);
  if (content.ok) return [{ role: "system", content: content.value }, ...sendable];
  const details = { operationCode: "template_render_error" };
  const message = `The system prompt can't be rendered: ${content.issues[0]?.message}`;
  throw new OperationsError("invalid_options", message, { details });
}

/** Returns the prompt effects of these operations. */
export function promptEffectsOf(records: readonly OperationRecord[]): EffectInput[] {
  return records.flatMap((record) => {
    const { operationId } = record.operation;
    return effectsOf(record)
      .filter(isPromptEffect)
      .map((effect) => ({ operationId, effect }));
  });
}

/** Returns the history with the last selected variant of the current user message. */
export function withUserVariant(
  history: readonly ChatMessage[],
  userMessageId: string,
  effects: readonly OperationEffect[],
): readonly ChatMessage[] {
  const selected = effects.findLast(
    (effect) => effect.type === "turn.user_variant" && effect.select === true,
  );
  if (selected?.type !== "turn.user_variant") return history;
  const { content } = selected;
  return history.map((message) =>
    message.id === userMessageId ? Object.freeze({ ...message, content }) : message,
  );
}

function inclusionsOf({ plan }: RunContext, artifacts: ArtifactMap): InclusionInput[] {
  return Object.values(artifacts).flatMap(({ tag, inclusion, usage, value }) => {
    if (inclusion === undefined || usage === "ui_only" || usage === "internal") return [];
    const writer = plan.operations.findLast((operation) => operation.tag === tag);
    return { tag, order: writer?.config.order ?? 0, inclusion, value };
  });
}

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
