import { z } from "zod";

import {
  type ArtifactRetention,
  type ArtifactWrite,
  type PromptInclusion,
  tagPattern,
} from "../artifact/operation-artifact.ts";
import {
  type EmittedEffect,
  type OperationEffect,
  type WriteArtifactParams,
  problemOfWrite,
} from "./operation-effect.ts";

const role = z.enum(["system", "developer", "user", "assistant"]);
const payload = { role, content: z.string(), source: z.string().exactOptional() };
const meta = z.record(z.string(), z.unknown());
const anchor = z.union([
  z.literal("last_user"),
  z.strictObject({ messageId: z.string().min(1) }),
  z.strictObject({ offset: z.int().max(0) }),
]);
const count = z.int().min(0).exactOptional();
const inclusion: z.ZodType<PromptInclusion> = z.strictObject({
  mode: z.enum(["prepend_system", "append_system", "after_last_user", "at_depth"]),
  role: role.exactOptional(),
  depth: z.int().max(0).exactOptional(),
  template: z.string().exactOptional(),
  maxTokens: z.int().min(1).exactOptional(),
});
const retention: z.ZodType<ArtifactRetention> = z.strictObject({
  maxItems: count,
  maxAgeMs: z.number().min(0).exactOptional(),
  maxBytes: count,
});
const artifactWrite = z.strictObject({
  tag: z.string(),
  persisted: z.boolean(),
  usage: z.enum(["prompt_only", "ui_only", "prompt+ui", "internal"]),
  semantics: z.string(),
  value: z.unknown(),
  // A media type, including its parameters.
  contentType: z.exactOptional(
    z
      .string()
      .max(200)
      .regex(/^[\w.+-]+\/[\w.+-]+(?:;.*)?$/),
  ),
  append: z.exactOptional(z.boolean()),
  retention: z.exactOptional(retention),
  inclusion: z.exactOptional(inclusion),
  expectedVersion: count,
} satisfies Record<keyof ArtifactWrite, z.ZodType>);

/** Validates a write without its value, as parameters of an operation. */
export const writeArtifactShape: z.ZodType<WriteArtifactParams> = artifactWrite
  .omit({ value: true, expectedVersion: true })
  .extend({ tag: z.string().regex(tagPattern), semantics: z.string().min(1).max(100) })
  .superRefine((write, context) => {
    const problem = problemOfWrite(write);
    if (problem === undefined) return;
    context.addIssue({ code: "custom", message: problem.message, path: [problem.field] });
  });

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
const variant = z.strictObject({
  type: z.enum(["turn.user_variant", "turn.assistant_variant"]),
  content: z.string(),
  select: z.boolean().exactOptional(),
  meta: meta.exactOptional(),
});

/** Validates one effect, in either hook. */
export const effectShape: z.ZodType<OperationEffect> = z.discriminatedUnion("type", [
  append,
  insertAtDepth,
  insert,
  systemUpdate,
  variant,
  z.strictObject({ type: z.literal("turn.assistant_blocks"), blocks: z.array(z.unknown()) }),
  z.strictObject({ type: z.literal("turn.assistant_meta"), meta }),
  artifactWrite.extend({ type: z.literal("artifact.upsert") }),
]);

const noContent = { content: true } as const;

/** Validates effects whose content is the result's text. */
export const emitShape: z.ZodType<EmittedEffect[]> = z.array(
  z.discriminatedUnion("type", [
    append.omit(noContent),
    insertAtDepth.omit(noContent),
    insert.omit(noContent),
    systemUpdate.omit(noContent),
    variant.omit(noContent),
  ]),
);
