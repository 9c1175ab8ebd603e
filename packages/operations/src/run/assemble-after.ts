import type { ChatMessage, Result } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import { writtenArtifact } from "../artifact/written-artifact.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import { type OperationEffect, isPromptEffect } from "../effects/operation-effect.ts";
import { valuesByTag } from "../kinds/template-scope-of.ts";
import { OperationsError } from "../operations-error.ts";
import { assemblePrompt } from "../prompt/assemble-prompt.ts";
import type { AssembledPrompt, EffectInput, InclusionInput } from "../prompt/assembled-prompt.ts";
import { sendableHistory } from "../prompt/sendable-history.ts";
import { effectsOf, type OperationRecord, writeOf } from "./operation-record.ts";
import { type ArtifactMap, formerOf, type RunContext } from "./run-context.ts";

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
    changed[write.tag] = writtenArtifact(formerOf(run, write), write, stamp);
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
  throw new OperationsError(
    "invalid_options",
    issue?.message ?? "The prompt can't be put together.",
    { details },
  );
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
  const [left, kept] = [
    inclusions.filter(({ tag }) => broken.has(tag)),
    inclusions.filter(({ tag }) => !broken.has(tag)),
  ];
  const without = assemblePrompt({ ...options, inclusions: kept });
  if (!without.ok) return without;
  const { dropped } = without.value.explain;
  for (const { tag } of left)
    dropped.push({ contributor: { kind: "inclusion", tag }, reason: "unrenderable" });
  return without;
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
