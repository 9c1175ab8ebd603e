import type { OperationArtifact, StoredRun } from "@ccl/operations";
import { createTemplateRenderer } from "@ccl/operations/liquid";
import {
  assemblePrompt,
  type EffectInput,
  type InclusionInput,
  type PromptContributor,
  type PromptOrigin,
} from "@ccl/operations/prompt";
import type { OperationStores } from "@ccl/operations";

import type { SentView } from "../views.ts";
import { valueAtTurn } from "./run-state.ts";
import { textOfMessage } from "./text-of-message.ts";

/**
 * Reconstructs the prompt of a run's main call from the current chat and the run's committed
 * effects, with the operations that contributed to each part. The store does not record what a
 * budget removed, so the text is shown in full.
 */
export async function runPrompt(
  { input, steps }: StoredRun,
  { chat }: Pick<OperationStores, "chat">,
  artifacts: readonly OperationArtifact[],
): Promise<SentView> {
  const { chatId, branchId, userMessageId, profile } = input;
  const turn = await chat.loadTurn({ chatId, branchId, userMessageId });
  const base = [...(turn?.history ?? [])];
  const held = artifacts.flatMap((artifact) => {
    const version = valueAtTurn(artifact, input);
    return version === undefined ? [] : [{ ...artifact, value: version.value }];
  });
  const art = Object.fromEntries(held.map(({ tag, value }) => [tag, value]));
  const { system, vars } = { ...profile?.turn, ...input.turn };
  if (system !== undefined) {
    const rendered = createTemplateRenderer().render(system, { art, vars, chatHistory: base });
    base.unshift({ role: "system", content: rendered.ok ? rendered.value : system });
  }
  const inclusions = held.flatMap(({ tag, inclusion, usage, value }): InclusionInput[] =>
    inclusion === undefined || usage === "ui_only" || usage === "internal"
      ? []
      : [{ tag, order: 0, inclusion, value }],
  );
  const assembled = assemblePrompt({
    base,
    effects: committedEffects(steps),
    inclusions,
    art,
    userMessageId,
  });
  if (!assembled.ok) return { problem: assembled.issues[0]?.message, messages: [] };
  const { messages, explain } = assembled.value;
  return {
    messages: messages.map((message, at) => {
      return {
        role: message.role,
        from: sourceOf(explain.messages[at]),
        by: explain.messages[at]?.contributors.map(nameOf) ?? [],
        text: textOfMessage(message),
      };
    }),
  };
}

/** Returns the prompt effects of operations before the main call, in commit order. */
function committedEffects(steps: StoredRun["steps"]): EffectInput[] {
  const entries = steps.flatMap((step) =>
    step.kind === "commit" && step.hook === "before_main_llm" ? step.entries : [],
  );
  return entries.flatMap(({ operationId, commitStatus }) => {
    const done = steps.findLast(
      (step) =>
        step.kind === "operation" &&
        step.hook === "before_main_llm" &&
        step.operationId === operationId &&
        step.status === "done",
    );
    if (commitStatus !== "committed" || done?.kind !== "operation") return [];
    return (done.effects ?? []).flatMap((effect) =>
      effect.type === "prompt.append_after_last_user" ||
      effect.type === "prompt.insert" ||
      effect.type === "prompt.insert_at_depth" ||
      effect.type === "prompt.system_update"
        ? [{ operationId, effect }]
        : [],
    );
  });
}

function sourceOf(origin: PromptOrigin | undefined): string {
  const names = { base: "chat", system: "system prompt", insert: "inserted" };
  return origin === undefined ? "" : names[origin.from];
}

function nameOf(contributor: PromptContributor): string {
  return contributor.kind === "effect" ? contributor.operationId : `art.${contributor.tag}`;
}
