import { z } from "zod";

import { idPattern } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { OperationProfile } from "./operation-profile.ts";

const hook = z.enum(["before_main_llm", "after_main_llm"]);
const trigger = z.enum(["generate", "regenerate"]);
const id = z
  .string()
  .regex(idPattern, "must be 1 to 200 characters long and contain no control characters");
const condition = z.strictObject({
  ref: z
    .string()
    .regex(/^art(\.[A-Za-z0-9_-]{1,100}){1,20}$/, "must look like art.<tag> or art.<tag>.<key>"),
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]).exactOptional(),
  not: z.boolean().exactOptional(),
});
const config = z.strictObject({
  enabled: z.boolean(),
  required: z.boolean(),
  hooks: z.array(hook).min(1).max(2),
  triggers: z.array(trigger).min(1).max(2).exactOptional(),
  order: z.number(),
  dependsOn: z.array(id).exactOptional(),
  when: z.array(condition).exactOptional(),
  every: z
    .union([z.strictObject({ turns: z.int().min(1) }), z.strictObject({ tokens: z.int().min(1) })])
    .exactOptional(),
  params: z.record(z.string(), z.unknown()),
  debug: z.strictObject({ enabled: z.boolean().exactOptional() }).exactOptional(),
});

const text = z.string();
const count = z.int().min(1);

/** Validates a turn's settings. */
export const turnShape: z.ZodType<TurnSettings> = z
  .strictObject({
    system: text.max(1_000_000),
    vars: z.record(text, z.unknown()),
    models: z
      .array(z.strictObject({ providerRef: text, model: text, credentialRef: text }))
      .min(1)
      .max(10),
    tools: z.array(text),
    maxSteps: count.max(100),
    toolChoice: z.union([z.enum(["auto", "none", "required"]), z.strictObject({ name: text })]),
    responseFormat: z.union([
      z.strictObject({ type: z.enum(["json_object", "text"]) }),
      z.strictObject({
        type: z.literal("json_schema"),
        name: text,
        schema: z.record(text, z.unknown()),
        strict: z.boolean().exactOptional(),
      }),
    ]),
    temperature: z.number(),
    topP: z.number(),
    topK: z.number(),
    frequencyPenalty: z.number(),
    presencePenalty: z.number(),
    seed: z.number(),
    stop: z.array(text),
    maxOutputTokens: count,
    timeoutMs: count,
    providerOptions: z.record(text, z.unknown()),
  })
  .exactPartial();

/** Validates a stored profile. `validateProfile` checks that its parts are consistent. */
export const profileShape: z.ZodType<OperationProfile> = z.strictObject({
  formatVersion: z.literal(1).exactOptional(),
  profileId: id,
  name: z.string(),
  description: z.string().exactOptional(),
  enabled: z.boolean(),
  operationProfileSessionId: id,
  version: z.int().min(0).exactOptional(),
  operations: z.array(z.strictObject({ operationId: id, config })),
  turn: turnShape.exactOptional(),
});
