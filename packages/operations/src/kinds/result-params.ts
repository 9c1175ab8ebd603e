import { z } from "zod";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import type { OperationEffect, PromptEffect, TurnEffect } from "../effects/operation-effect.ts";
import { tagPattern } from "../artifact/tag-pattern.ts";

/** Where an operation writes its result: an artifact without its value. */
export type WriteArtifactParams = Omit<ArtifactWrite, "value" | "expectedVersion">;

/** An effect whose content is the text of the operation's result. */
export type EmitParams = PromptEffect | TurnEffect extends infer Effect
  ? Effect extends { content: string }
    ? Omit<Effect, "content">
    : never
  : never;

/** What becomes of a result. */
export interface ResultParams {
  writeArtifact?: WriteArtifactParams | undefined;
  emit?: EmitParams[] | undefined;
}

const role = z.enum(["system", "developer", "user", "assistant"]);
const count = z.int().min(1);
const depth = z.int().max(0);

const retention = z.strictObject({
  maxItems: z.exactOptional(z.int().min(0)),
  maxAgeMs: z.exactOptional(count),
  maxBytes: z.exactOptional(count),
});

const inclusion = z.strictObject({
  mode: z.enum(["prepend_system", "append_system", "after_last_user", "at_depth"]),
  role: z.exactOptional(role),
  depth: z.exactOptional(depth),
  template: z.exactOptional(z.string()),
  maxTokens: z.exactOptional(count),
});

/** Checks `writeArtifact`: history is of persisted values only. */
export const writeArtifactSchema: z.ZodType<WriteArtifactParams> = z
  .strictObject({
    tag: z.string().regex(tagPattern),
    persisted: z.boolean(),
    usage: z.enum(["prompt_only", "ui_only", "prompt+ui", "internal"]),
    semantics: z.string().min(1).max(100),
    retention: z.exactOptional(retention),
    inclusion: z.exactOptional(inclusion),
  })
  .refine(({ persisted, retention: kept }) => persisted || kept === undefined, {
    message:
      "A run_only artifact (persisted: false) has no history; leave retention out or persist it",
    path: ["retention"],
  });

const payload = { role, source: z.exactOptional(z.string()) };
const meta = z.exactOptional(z.record(z.string(), z.unknown()));
const variant = { select: z.exactOptional(z.boolean()), meta };

/** Checks `emit`. */
export const emitSchema: z.ZodType<EmitParams[]> = z.array(
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("prompt.append_after_last_user"), ...payload }),
    z.strictObject({ type: z.literal("prompt.insert_at_depth"), depthFromEnd: depth, ...payload }),
    z.strictObject({
      type: z.literal("prompt.insert"),
      anchor: z.union([
        z.literal("last_user"),
        z.strictObject({ messageId: z.string().min(1) }),
        z.strictObject({ offset: depth }),
      ]),
      place: z.enum(["before", "after", "replace"]),
      onAnchorTrimmed: z.exactOptional(z.enum(["boundary", "drop", "fail"])),
      ...payload,
    }),
    z.strictObject({
      type: z.literal("prompt.system_update"),
      mode: z.enum(["prepend", "append", "replace"]),
      separator: z.exactOptional(z.string()),
      source: z.exactOptional(z.string()),
    }),
    z.strictObject({ type: z.literal("turn.user_variant"), ...variant }),
    z.strictObject({ type: z.literal("turn.assistant_variant"), ...variant }),
  ]),
);

/** The parameters of every kind that makes a result. */
export const resultShape: {
  writeArtifact: z.ZodExactOptional<typeof writeArtifactSchema>;
  emit: z.ZodExactOptional<typeof emitSchema>;
} = { writeArtifact: z.exactOptional(writeArtifactSchema), emit: z.exactOptional(emitSchema) };

/** The effects of a result: its value under the tag, its text as the content of each `emit`. */
export function resultEffects(
  { writeArtifact, emit = [] }: ResultParams,
  { value, text }: { value: unknown; text: string },
): OperationEffect[] {
  const effects: OperationEffect[] = emit.map((effect) => ({ ...effect, content: text }));
  if (writeArtifact !== undefined)
    effects.unshift({ type: "artifact.upsert", ...writeArtifact, value });
  return effects;
}

/** The types of the effects that a result will have. */
export function resultEffectTypes({ writeArtifact, emit = [] }: ResultParams): string[] {
  return [
    ...(writeArtifact === undefined ? [] : ["artifact.upsert"]),
    ...emit.map(({ type }) => type),
  ];
}
