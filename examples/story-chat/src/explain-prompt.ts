import type { ChatMessage } from "@ccl/core";
import {
  assemblePrompt,
  type OperationArtifact,
  type OperationEffect,
  type RunStep,
} from "@ccl/operations";

/** A piece of a prompt and where it comes from. */
export interface PromptPiece {
  role: string;
  text: string;
  /** For people, like `chat history`. */
  origin: string;
  /** True for what an operation has put there. */
  isAdded: boolean;
}

/** What a prompt was made from. */
export interface PromptSources {
  history: readonly ChatMessage[];
  /** As the turn found them. */
  artifacts: readonly OperationArtifact[];
  steps: readonly RunStep[];
  /** In commit order, ids of operations whose effects were committed before the main call. */
  committed: readonly string[];
}

/** Puts the prompt together once more from its parts; gives it with the origin of each piece. */
export function explainPrompt(sources: PromptSources): {
  messages: ChatMessage[];
  pieces: PromptPiece[];
} {
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
  const { messages, explain } = assembled.value;
  const system = history.find(({ role }) => role === "system");
  const pieces = messages.flatMap((message, index): PromptPiece[] => {
    const origin = explain.messages[index];
    const { role } = message;
    const text = textOf(message);
    if (origin?.from === "base")
      return [
        { role, text, origin: role === "system" ? "preamble" : "chat history", isAdded: false },
      ];
    if (origin?.from === "elision")
      return [{ role, text, origin: "mark of what was cut off", isAdded: true }];
    const from = (origin?.contributors ?? []).map((by) =>
      by.kind === "inclusion" ? `art.${by.tag}, by its inclusion` : by.operationId,
    );
    const added = { role, origin: [...new Set(from)].join(", "), isAdded: true };
    const base = origin?.from === "system" && system !== undefined ? textOf(system) : "";
    if (base === "" || !text.startsWith(base)) return [{ ...added, text }];
    return [
      { role, text: base, origin: "preamble", isAdded: false },
      { ...added, text: text.slice(base.length).trimStart() },
    ];
  });
  return { messages, pieces };
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

function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}
