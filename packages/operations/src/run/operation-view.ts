import type { ChatMessage } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import { isPromptEffect } from "../effects/is-effect-of.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import { OperationsError } from "../operations-error.ts";
import { assemblePrompt } from "../prompt/assemble-prompt.ts";
import type { AssembledPrompt, EffectInput, InclusionInput, PromptTrim } from "../prompt/assembled-prompt.ts";
import { ancestorsOf, isUnchanged, writeOf, writtenArtifact, type ArtifactMap } from "./artifact-view.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { RunDesk } from "./run-desk.ts";

/** What an operation sees of the world; each part is worked out when it is first asked for. */
export interface OperationView {
  artifacts(): ArtifactMap;
  /** The prompt as its dependencies have left it. */
  draftPrompt(): readonly ChatMessage[];
}

/** The view of one operation, once all that it depends on has ended. */
export function createOperationView(desk: RunDesk, index: number): OperationView {
  let ancestors: number[] | undefined;
  let artifacts: ArtifactMap | undefined;
  let draft: readonly ChatMessage[] | undefined;
  const doneAncestors = (): number[] => {
    ancestors ??= ancestorsOf(desk.plan.operations, index).filter((at) => desk.records[at]?.status === "done");
    return ancestors;
  };
  const view: OperationView = {
    artifacts() {
      artifacts ??= artifactsAfter(desk, doneAncestors());
      return artifacts;
    },
    draftPrompt() {
      draft ??= freezeAll(promptAfter(desk, { indexes: doneAncestors(), artifacts: view.artifacts() }).messages);
      return draft;
    },
  };
  return view;
}

/** The artifacts of the hook's beginning with what these operations have written, in commit order. */
export function artifactsAfter(desk: RunDesk, indexes: readonly number[]): ArtifactMap {
  const changed = new Map<string, OperationArtifact>();
  for (const index of indexes) {
    const record = desk.records[index];
    const write = record && writeOf(record.effects);
    if (record === undefined || write === undefined) continue;
    const before = Object.hasOwn(desk.artifacts, write.tag) ? desk.artifacts[write.tag] : undefined;
    const head = desk.heads.get(write.tag);
    if (isUnchanged(before, write, head)) continue;
    const version = write.persisted ? (head ?? 0) + 1 : 1;
    const stamp = { runId: desk.input.runId, writtenAt: record.finishedAt ?? desk.input.startedAt, version };
    changed.set(write.tag, writtenArtifact(before, write, stamp));
  }
  return changed.size === 0 ? desk.artifacts : Object.freeze({ ...desk.artifacts, ...Object.fromEntries(changed) });
}

/**
 * The prompt after these operations. @throws OperationsError whose `details.operationCode` says why there is none
 */
export function promptAfter(
  desk: RunDesk,
  of: { indexes: readonly number[]; artifacts: ArtifactMap; trim?: PromptTrim },
): AssembledPrompt {
  const effects: EffectInput[] = [];
  const all: OperationEffect[] = [];
  for (const index of of.indexes) {
    const operationId = desk.plan.operations[index]?.operationId ?? "";
    for (const effect of desk.records[index]?.effects ?? []) {
      all.push(effect);
      if (isPromptEffect(effect)) effects.push({ operationId, effect });
    }
  }
  const { renderer } = desk.services;
  const assembled = assemblePrompt({
    base: withUserVariant(desk.history, desk.input.userMessageId, all),
    inclusions: inclusionsOf(desk, of.artifacts),
    effects,
    userMessageId: desk.input.userMessageId,
    art: Object.fromEntries(Object.values(of.artifacts).map(({ tag, value }) => [tag, value])),
    ...(of.trim && { trim: of.trim }),
    ...(renderer && { renderer }),
  });
  if (assembled.ok) return assembled.value;
  const [issue] = assembled.issues;
  const operationCode =
    issue?.code === "invalid_anchor" || issue?.code === "anchor_trimmed" ? "policy_error" : issue?.code;
  throw new OperationsError("invalid_options", issue?.message ?? "The prompt can't be put together.", {
    details: { operationCode },
  });
}

/** The history as the last selected variant of the current user message makes it. */
export function withUserVariant(
  history: readonly ChatMessage[],
  userMessageId: string,
  effects: readonly OperationEffect[],
): readonly ChatMessage[] {
  const selected = effects.findLast((effect) => effect.type === "turn.user_variant" && effect.select === true);
  if (selected?.type !== "turn.user_variant") return history;
  const { content } = selected;
  return history.map((message) => (message.id === userMessageId ? Object.freeze({ ...message, content }) : message));
}

function inclusionsOf({ plan }: RunDesk, artifacts: ArtifactMap): InclusionInput[] {
  const inclusions: InclusionInput[] = [];
  let orders: Map<string, number> | undefined;
  for (const { tag, inclusion, usage, value } of Object.values(artifacts)) {
    if (inclusion === undefined || usage === "ui_only" || usage === "internal") continue;
    orders ??= ordersByTag(plan.operations);
    inclusions.push({ tag, order: orders.get(tag) ?? 0, inclusion, value });
  }
  return inclusions;
}

function ordersByTag(operations: readonly PlannedOperation[]): Map<string, number> {
  const orders = new Map<string, number>();
  for (const { tag, config } of operations) if (tag !== undefined) orders.set(tag, config.order);
  return orders;
}

function freezeAll(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  for (const message of messages) Object.freeze(message);
  return Object.freeze(messages);
}
