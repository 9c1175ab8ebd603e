import { z } from "zod";

import type { JsonSchema } from "@ccl/structured-output";

import type { OperationProfile } from "./operation-profile.ts";

const hook = z.enum(["before_main_llm", "after_main_llm"]);
const trigger = z.enum(["generate", "regenerate"]);
const id = z
  .string()
  .regex(
    /^[^\p{Cc}\p{Cs}]{1,200}$/u,
    "must be 1 to 200 characters, none of them a control character",
  );
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
  params: z.record(z.string(), z.unknown()),
  debug: z.strictObject({ enabled: z.boolean().exactOptional() }).exactOptional(),
});

/** The shape of a stored profile; what its parts mean for each other is `validateProfile`'s. */
export const profileShape: z.ZodType<OperationProfile> = z.strictObject({
  profileId: id,
  name: z.string(),
  description: z.string().exactOptional(),
  enabled: z.boolean(),
  operationProfileSessionId: id,
  version: z.int().min(0).exactOptional(),
  operations: z.array(z.strictObject({ operationId: id, config })),
});

/** JSON Schema (draft 2020-12) of a stored profile, for editors and forms; frozen. */
export const operationProfileSchema: JsonSchema = Object.freeze(z.toJSONSchema(profileShape));
