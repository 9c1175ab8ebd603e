import { z } from "zod";

import { emitShape } from "../effects/effect-shape.ts";
import type { EmittedEffect } from "../effects/operation-effect.ts";
import { retrySchema, type RetryParams } from "./run-attempts.ts";
import { type WriteArtifactParams, writeArtifactSchema } from "./result-params.ts";

/** Sampling of one call; what is absent is left to the provider. */
export interface LlmSamplers {
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
}

/** Parameters of the kind `llm`. Holds references only, no keys. */
export interface LlmParams {
  /** Which provider the resolver of models is asked for. */
  providerRef: string;
  /** Which of its models. */
  model: string;
  /** Handed to the resolver of models and to nothing else. */
  credentialRef: string;
  /** Liquid; no system message where it is absent or renders to nothing. */
  system?: string | undefined;
  /** Liquid; the one message of the user. */
  prompt: string;
  /** A variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
  /** More tokens than that, framing included, are `budget_exceeded` before the call. */
  maxInputTokens?: number | undefined;
  /** Left to the provider where absent. */
  samplers?: LlmSamplers | undefined;
  /** Of the answer. */
  maxOutputTokens?: number | undefined;
  /** Texts that end the answer, up to 64. */
  stop?: string[] | undefined;
  /** What one run of the operation may cost; needs a price. Without `maxOutputTokens` the answer is as long as it can pay for. */
  budget?: { maxCostUsd?: number | undefined } | undefined;
  /** Default text. With `json` the value has to be JSON, and to fit the schema where one is named. */
  output?: { mode: "text" | "json"; schemaRef?: string | undefined } | undefined;
  writeArtifact: WriteArtifactParams;
  /** Effects with the text of the answer as their content, beside the artifact. */
  emit?: EmittedEffect[] | undefined;
  /** Of each attempt. */
  timeoutMs?: number | undefined;
  /** Default one attempt. */
  retry?: RetryParams | undefined;
}

const reference = z.string().min(1).max(200);
const optionalNumber = z.exactOptional(z.number());
const optionalCount = z.exactOptional(z.int().min(1));

/** Checks the parameters of the kind `llm`. */
export const llmParamsSchema: z.ZodType<LlmParams> = z.strictObject({
  providerRef: reference,
  model: reference,
  credentialRef: reference,
  system: z.exactOptional(z.string()),
  prompt: z.string(),
  strictVariables: z.exactOptional(z.boolean()),
  maxInputTokens: optionalCount,
  samplers: z.exactOptional(
    z.strictObject({
      temperature: optionalNumber,
      topP: optionalNumber,
      topK: optionalNumber,
      frequencyPenalty: optionalNumber,
      presencePenalty: optionalNumber,
      seed: z.exactOptional(z.int()),
    }),
  ),
  maxOutputTokens: optionalCount,
  stop: z.exactOptional(z.array(z.string().min(1)).max(64)),
  budget: z.exactOptional(z.strictObject({ maxCostUsd: z.exactOptional(z.number().min(0)) })),
  output: z.exactOptional(
    z
      .strictObject({ mode: z.enum(["text", "json"]), schemaRef: z.exactOptional(reference) })
      .refine(({ mode, schemaRef }) => mode === "json" || schemaRef === undefined, {
        message: "A schema is for the mode json",
        path: ["schemaRef"],
      }),
  ),
  writeArtifact: writeArtifactSchema,
  emit: z.exactOptional(emitShape),
  timeoutMs: z.exactOptional(z.int().min(1).max(3_600_000)),
  retry: z.exactOptional(retrySchema),
});
