import type { ArtifactWrite, InsertRole } from "../artifact/operation-artifact.ts";

/** A synthetic message of the prompt. */
interface PromptPayload {
  role: InsertRole;
  content: string;
  /** Origin of the message, such as `art.world_state`. */
  source?: string | undefined;
}

/**
 * Where `prompt.insert` puts its message. An offset counts from the end: 0 is the tail, -1 is before the last message.
 */
export type PromptAnchor = "last_user" | { messageId: string } | { offset: number };

/** Changes the prompt of this main call only. Allowed only before the main call. */
export type PromptEffect =
  | ({ type: "prompt.append_after_last_user" } & PromptPayload)
  | ({ type: "prompt.insert_at_depth"; depthFromEnd: number } & PromptPayload)
  | ({
      type: "prompt.insert";
      anchor: PromptAnchor;
      place: "before" | "after" | "replace";
      /** What to do if trimming removed the anchor. The default, `boundary`, inserts where the kept history begins. */
      onAnchorTrimmed?: "boundary" | "drop" | "fail" | undefined;
    } & PromptPayload)
  | {
      type: "prompt.system_update";
      mode: "prepend" | "append" | "replace";
      content: string;
      /** Text between the existing and the new text. Defaults to none. */
      separator?: string | undefined;
      source?: string | undefined;
    };

/**
 * Changes the current turn. Both hooks can change the user's side, but the assistant's only after the main call. A new
 * variant is added to the existing ones. It is shown and sent only with `select: true` (defaults to false).
 */
export type TurnEffect =
  | {
      type: "turn.user_variant" | "turn.assistant_variant";
      content: string;
      select?: boolean | undefined;
      meta?: Record<string, unknown> | undefined;
    }
  | { type: "turn.assistant_blocks"; blocks: unknown[] }
  | { type: "turn.assistant_meta"; meta: Record<string, unknown> };

/** Where an operation writes its result: an artifact write without its value. */
export type WriteArtifactParams = Omit<ArtifactWrite, "value" | "expectedVersion">;

/** Writes the operation's one tag. */
export type ArtifactEffect = { type: "artifact.upsert" } & ArtifactWrite;

/** Everything that an operation can change. */
export type OperationEffect = PromptEffect | TurnEffect | ArtifactEffect;

/** An effect whose content is the text of the operation's result. */
export type EmittedEffect = PromptEffect | TurnEffect extends infer Effect
  ? Effect extends { content: string }
    ? Omit<Effect, "content">
    : never
  : never;

/** True if the effect changes the prompt. */
export function isPromptEffect(effect: OperationEffect): effect is PromptEffect {
  return effect.type.startsWith("prompt.");
}

/** True if the effect changes the turn. */
export function isTurnEffect(effect: OperationEffect): effect is TurnEffect {
  return effect.type.startsWith("turn.");
}

/** True if the effect writes an artifact. */
export function isArtifactEffect(effect: OperationEffect): effect is ArtifactEffect {
  return effect.type === "artifact.upsert";
}

/** Settings of a write that contradict each other. */
export interface WriteProblem {
  code: "run_only_retention" | "unused_inclusion";
  field: "retention" | "inclusion";
  message: string;
}

/** Describes what is wrong with the settings of a write. Undefined if they are valid. */
export function problemOfWrite({
  persisted,
  usage,
  retention,
  inclusion,
}: Partial<WriteArtifactParams>): WriteProblem | undefined {
  if (persisted === false && retention !== undefined) {
    const message =
      "An artifact that is dropped with its run has no history; leave retention out, or set persisted.";
    return { code: "run_only_retention", field: "retention", message };
  }
  if (inclusion === undefined || (usage !== "ui_only" && usage !== "internal")) return undefined;
  const message = `An artifact of usage ${usage} is in no prompt; leave inclusion out, or set prompt_only or prompt+ui.`;
  return { code: "unused_inclusion", field: "inclusion", message };
}
