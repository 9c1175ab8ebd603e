import { z } from "zod";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import { tagPattern } from "../artifact/tag-pattern.ts";
import {
  contentTypeShape,
  emitShape,
  inclusionShape,
  retentionShape,
} from "../effects/effect-shape.ts";
import type { EmittedEffect } from "../effects/operation-effect.ts";
import { type RetryParams, retrySchema } from "./retry.ts";

/** Where an operation writes its result: an artifact without its value. */
export type WriteArtifactParams = Omit<ArtifactWrite, "value" | "expectedVersion">;

/** What becomes of a result. */
export interface ResultParams {
  /** Keeps the value as `art.<tag>`. */
  writeArtifact?: WriteArtifactParams | undefined;
  /** Effects with the text of the result as their content. */
  emit?: EmittedEffect[] | undefined;
}

/** Parameters of a kind that renders what it asks for, calls something of the application's, and makes a result. */
export interface CallParams extends ResultParams {
  /** A variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
  /** Of each attempt; default none but that of the run. */
  timeoutMs?: number | undefined;
  /** Default one attempt. */
  retry?: RetryParams | undefined;
}

/** Checks `writeArtifact`: history is of persisted values only. */
export const writeArtifactSchema: z.ZodType<WriteArtifactParams> = z
  .strictObject({
    tag: z.string().regex(tagPattern),
    persisted: z.boolean(),
    usage: z.enum(["prompt_only", "ui_only", "prompt+ui", "internal"]),
    semantics: z.string().min(1).max(100),
    contentType: z.exactOptional(contentTypeShape),
    append: z.exactOptional(z.boolean()),
    retention: z.exactOptional(retentionShape),
    inclusion: z.exactOptional(inclusionShape),
  })
  .refine(({ persisted, retention: kept }) => persisted || kept === undefined, {
    message:
      "A run_only artifact (persisted: false) has no history; leave retention out or persist it",
    path: ["retention"],
  });

/** The parameters of every kind that makes a result. */
export const resultShape: {
  writeArtifact: z.ZodExactOptional<typeof writeArtifactSchema>;
  emit: z.ZodExactOptional<typeof emitShape>;
} = { writeArtifact: z.exactOptional(writeArtifactSchema), emit: z.exactOptional(emitShape) };

/** The parameters of every kind that calls something. */
export const callShape: typeof resultShape & {
  strictVariables: z.ZodExactOptional<z.ZodBoolean>;
  timeoutMs: z.ZodExactOptional<z.ZodInt>;
  retry: z.ZodExactOptional<typeof retrySchema>;
} = {
  strictVariables: z.exactOptional(z.boolean()),
  timeoutMs: z.exactOptional(z.int().min(1)),
  retry: z.exactOptional(retrySchema),
  ...resultShape,
};
