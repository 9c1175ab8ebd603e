import type { ChatMessage, Result } from "@ccl/core";
import { deepFreeze } from "@ccl/core/json";

import type { ArtifactWrite, OperationArtifact } from "../artifact/operation-artifact.ts";
import { versionAfter, wholeWrite, writtenArtifact } from "../artifact/written-artifact.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import { isPromptEffect } from "../effects/is-effect-of.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import { valuesByTag } from "../kinds/template-scope-of.ts";
import type { MainResult } from "../operation/operation-context.ts";
import { OperationsError } from "../operations-error.ts";
import { effectVariantId } from "../ports/chat-turn.ts";
import { assemblePrompt } from "../prompt/assemble-prompt.ts";
import type { AssembledPrompt, EffectInput, InclusionInput } from "../prompt/assembled-prompt.ts";
import { sendableHistory } from "../prompt/sendable-history.ts";
import { formerOf, writeOf, type ArtifactMap } from "./artifact-view.ts";
import { ancestorsOf, type PlannedOperation } from "./plan-run.ts";
import type { OperationRecord, RunContext } from "./run-context.ts";

/** What an operation sees. Each part is computed on its first use. */
export interface OperationView {
  artifacts(): ArtifactMap;
  /** The history, with the variant of the user message that the operation's dependencies have selected. */
  chatHistory(): readonly ChatMessage[];
  /** The answer after the changes of its dependencies. */
  main(): MainResult;
  /** The prompt after the changes of its dependencies. */
  draftPrompt(): readonly ChatMessage[];
}

/** The inputs of a prompt. */
export interface PromptOf {
  indexes: readonly number[];
  artifacts: ArtifactMap;
  /** Replaces the run's history. */
  base?: readonly ChatMessage[] | undefined;
}

/** Creates the view of one operation. All of its dependencies must have ended. */
export function createOperationView(run: RunContext, index: number): OperationView {
  let ancestors: number[] | undefined;
  let artifacts: ArtifactMap | undefined;
  let draft: readonly ChatMessage[] | undefined;
  const doneAncestors = (): number[] => {
    ancestors ??= ancestorsOf(run.plan.operations, index).filter(
      (at) => run.records[at]?.status === "done",
    );
    return ancestors;
  };
  const view: OperationView = {
    artifacts() {
      artifacts ??= artifactsAfter(run, doneAncestors());
      return artifacts;
    },
    chatHistory: () =>
      Object.freeze(
        withUserVariant(run.history, run.input.userMessageId, effectsOf(run, doneAncestors())),
      ),
    main: () => mainAfter(run, doneAncestors()),
    draftPrompt() {
      draft ??= freezeAll(
        requirePrompt(assembleAfter(run, { indexes: doneAncestors(), artifacts: view.artifacts() }))
          .messages,
      );
      return draft;
    },
  };
  return view;
}

function effectsOf({ records }: RunContext, indexes: readonly number[]): OperationEffect[] {
  return indexes.flatMap((index) => records[index]?.effects ?? []);
}

/** The answer after the turn effects of these operations, as the chat store will apply them. */
function mainAfter(run: RunContext, indexes: readonly number[]): MainResult {
  const { text = "", finishReason = "unknown", partial, steps } = run.main;
  const { toolCalls, reasoning } = steps?.at(-1) ?? {};
  const { assistantVariantId } = run.input;
  let main: MainResult = { assistantVariantId, text, finishReason, partial, toolCalls, reasoning };
  for (const at of indexes) {
    const { operationId, hook } = run.plan.operations[at] ?? {};
    for (const [index, effect] of (run.records[at]?.effects ?? []).entries()) {
      if (effect.type === "turn.assistant_blocks") main = { ...main, blocks: effect.blocks };
      if (effect.type === "turn.assistant_meta")
        main = { ...main, meta: { ...main.meta, ...effect.meta } };
      if (effect.type !== "turn.assistant_variant" || effect.select !== true) continue;
      if (operationId === undefined || hook === undefined) continue;
      const { runId } = run.input;
      const variantId = effectVariantId({ runId, hook }, operationId, index);
      const { content, meta } = effect;
      main = { ...main, assistantVariantId: variantId, text: content, blocks: undefined, meta };
    }
  }
  const { blocks = [{ type: "text", text: main.text }], meta = {} } = main;
  return deepFreeze({ ...main, blocks, meta });
}

/** The artifacts at the beginning of the hook, plus the writes of these operations in commit order. */
export function artifactsAfter(run: RunContext, indexes: readonly number[]): ArtifactMap {
  if (indexes.length === 0) return run.artifacts;
  let changed: Record<string, OperationArtifact> | undefined;
  for (const index of indexes) {
    const record = run.records[index];
    const write = record && writeOf(record.effects);
    if (record === undefined || write === undefined) continue;
    changed ??= { ...run.artifacts };
    changed[write.tag] = artifactOf(run, record, write);
  }
  return changed === undefined ? run.artifacts : Object.freeze(changed);
}

// Cached by the effects that write them. All operations that see a write compute the same artifact until the hook is
// committed, and values may be long.
const artifactsByEffects = new WeakMap<readonly OperationEffect[], OperationArtifact>();

function artifactOf(
  run: RunContext,
  { effects, finishedAt }: OperationRecord,
  given: ArtifactWrite,
): OperationArtifact {
  const known = artifactsByEffects.get(effects);
  if (known !== undefined) return known;
  const before = formerOf(run, given);
  const write = wholeWrite(given, before);
  const version = versionAfter(before, write);
  const stamp = { runId: run.input.runId, writtenAt: finishedAt ?? run.input.startedAt, version };
  const artifact = writtenArtifact(before, write, stamp);
  artifactsByEffects.set(effects, artifact);
  return artifact;
}

/** Returns the prompt. @throws OperationsError whose `details.operationCode` says why there is none */
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

/** The prompt after these operations. Issues about effects have the index into `promptEffectsOf` in their path. */
export function assembleAfter(
  run: RunContext,
  { indexes, artifacts, base = sendableAfter(run, { indexes, artifacts }) }: PromptOf,
): Result<AssembledPrompt> {
  const { renderer, limits } = run.services;
  const options = {
    base,
    counter: limits.prompt?.counter,
    effects: promptEffectsOf(run, indexes),
    userMessageId: run.input.userMessageId,
    art: valuesByTag(artifacts),
    renderer,
  };
  const inclusions = inclusionsOf(run, artifacts);
  const assembled = assemblePrompt({ ...options, inclusions });
  if (assembled.ok) return assembled;
  // An inclusion from an earlier turn must not prevent all later prompts.
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
 * The system prompt of the turn's settings, and the history that a provider accepts. The user's message is the variant
 * that these operations have selected.
 * @throws OperationsError if the system prompt cannot be rendered
 */
export function sendableAfter(
  run: RunContext,
  { indexes, artifacts }: PromptOf,
): readonly ChatMessage[] {
  const { history, input, turn, services } = run;
  const selected = withUserVariant(history, input.userMessageId, effectsOf(run, indexes));
  const sendable = sendableHistory(selected);
  if (turn.system === undefined) return sendable;
  const renderer = services.renderer ?? defaultRenderer();
  const scope = { art: valuesByTag(artifacts), vars: turn.vars, chatHistory: selected };
  const content = renderer.render(turn.system, scope);
  if (content.ok) return [{ role: "system", content: content.value }, ...sendable];
  const details = { operationCode: "template_render_error" };
  const message = `The system prompt can't be rendered: ${content.issues[0]?.message}`;
  throw new OperationsError("invalid_options", message, { details });
}

/** The prompt effects of these operations. */
export function promptEffectsOf(
  { plan, records }: RunContext,
  indexes: readonly number[],
): EffectInput[] {
  return indexes.flatMap((index) => {
    const operationId = plan.operations[index]?.operationId ?? "";
    return (records[index]?.effects ?? [])
      .filter(isPromptEffect)
      .map((effect) => ({ operationId, effect }));
  });
}

/** The history with the last selected variant of the current user message. */
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
