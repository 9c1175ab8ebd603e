import type { ChatMessage } from "@ccl/core";
import type { OperationArtifact, OperationEffect, RunStep } from "@ccl/operations";
import { assemblePrompt } from "@ccl/operations/prompt";

/** The parts of a prompt. */
export interface PromptSources {
  history: readonly ChatMessage[];
  /** The state at the start of the turn. */
  artifacts: readonly OperationArtifact[];
  steps: readonly RunStep[];
  /** In commit order, ids of operations whose effects were committed before the main call. */
  committed: readonly string[];
}

/** Builds the prompt again from its parts. */
export function rebuildPrompt(sources: PromptSources): ChatMessage[] {
  const { history, artifacts, steps, committed } = sources;
  const effects = committed.flatMap((operationId) =>
    effectsOf(steps, operationId).flatMap((effect) =>
      isPromptEffect(effect) ? [{ operationId, effect }] : [],
    ),
  );
  const inclusions = artifacts.flatMap(({ tag, inclusion, value }) =>
    inclusion ? [{ tag, order: 0, inclusion, value }] : [],
  );
  const assembled = assemblePrompt({ base: history, inclusions, effects });
  if (!assembled.ok) throw new Error(assembled.issues.map(({ message }) => message).join(" "));
  return assembled.value.messages;
}

function effectsOf(steps: readonly RunStep[], operationId: string): readonly OperationEffect[] {
  const step = steps.find(
    (at) =>
      at.kind === "operation" &&
      at.operationId === operationId &&
      at.hook === "before_main_llm" &&
      at.willRetry !== true,
  );
  return step?.kind === "operation" ? (step.effects ?? []) : [];
}

type PromptEffect = Extract<OperationEffect, { type: `prompt.${string}` }>;

function isPromptEffect(effect: OperationEffect): effect is PromptEffect {
  return effect.type.startsWith("prompt.");
}
