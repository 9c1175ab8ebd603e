import { z } from "zod";

import type {
  ArtifactRetention,
  ArtifactWrite,
  PromptInclusion,
} from "../artifact/operation-artifact.ts";
import type { EmittedEffect, OperationEffect } from "./operation-effect.ts";

const role = z.enum(["system", "developer", "user", "assistant"]);
const payload = { role, content: z.string(), source: z.string().exactOptional() };
const meta = z.record(z.string(), z.unknown());
const variant = {
  content: z.string(),
  select: z.boolean().exactOptional(),
  meta: meta.exactOptional(),
};
const anchor = z.union([
  z.literal("last_user"),
  z.strictObject({ messageId: z.string().min(1) }),
  z.strictObject({ offset: z.int().max(0) }),
]);
/** How an artifact stands in the prompt by itself. */
export const inclusionShape: z.ZodType<PromptInclusion> = z.strictObject({
  mode: z.enum(["prepend_system", "append_system", "after_last_user", "at_depth"]),
  role: role.exactOptional(),
  depth: z.int().max(0).exactOptional(),
  template: z.string().exactOptional(),
  maxTokens: z.int().min(1).exactOptional(),
});
/** What is kept of former values. */
export const retentionShape: z.ZodType<ArtifactRetention> = z.strictObject({
  maxItems: z.int().min(0).exactOptional(),
  maxAgeMs: z.number().min(0).exactOptional(),
  maxBytes: z.int().min(0).exactOptional(),
});
/** A media type, parameters included. */
export const contentTypeShape: z.ZodType<string> = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+-]+(?:;.*)?$/);
const writeFields = {
  tag: z.string(),
  persisted: z.boolean(),
  usage: z.enum(["prompt_only", "ui_only", "prompt+ui", "internal"]),
  semantics: z.string(),
  value: z.unknown(),
  contentType: z.exactOptional(contentTypeShape),
  append: z.exactOptional(z.boolean()),
  retention: z.exactOptional(retentionShape),
  inclusion: z.exactOptional(inclusionShape),
  expectedVersion: z.int().min(0).exactOptional(),
} satisfies Record<keyof ArtifactWrite, z.ZodType>;

const append = z.strictObject({ type: z.literal("prompt.append_after_last_user"), ...payload });
const insertAtDepth = z.strictObject({
  type: z.literal("prompt.insert_at_depth"),
  depthFromEnd: z.int().max(0),
  ...payload,
});
const insert = z.strictObject({
  type: z.literal("prompt.insert"),
  anchor,
  place: z.enum(["before", "after", "replace"]),
  onAnchorTrimmed: z.enum(["boundary", "drop", "fail"]).exactOptional(),
  ...payload,
});
const systemUpdate = z.strictObject({
  type: z.literal("prompt.system_update"),
  mode: z.enum(["prepend", "append", "replace"]),
  content: z.string(),
  separator: z.string().exactOptional(),
  source: z.string().exactOptional(),
});
const userVariant = z.strictObject({ type: z.literal("turn.user_variant"), ...variant });
const assistantVariant = z.strictObject({ type: z.literal("turn.assistant_variant"), ...variant });

/** The shape of one effect, whatever hook it comes from. */
export const effectShape: z.ZodType<OperationEffect> = z.discriminatedUnion("type", [
  append,
  insertAtDepth,
  insert,
  systemUpdate,
  userVariant,
  assistantVariant,
  z.strictObject({ type: z.literal("turn.assistant_blocks"), blocks: z.array(z.unknown()) }),
  z.strictObject({ type: z.literal("turn.assistant_meta"), meta }),
  z.strictObject({ type: z.literal("artifact.upsert"), ...writeFields }),
]);

const noContent = { content: true } as const;

/** The shape of effects whose content is the text of a result. */
export const emitShape: z.ZodType<EmittedEffect[]> = z.array(
  z.discriminatedUnion("type", [
    append.omit(noContent),
    insertAtDepth.omit(noContent),
    insert.omit(noContent),
    systemUpdate.omit(noContent),
    userVariant.omit(noContent),
    assistantVariant.omit(noContent),
  ]),
);
