import { z } from "zod";

import { emitShape, writeArtifactShape } from "../effects/effect-shape.ts";
import type { EmittedEffect, WriteArtifactParams } from "../effects/operation-effect.ts";
import { type RetryParams, retrySchema } from "./retry.ts";

/** Where a result goes. */
export interface ResultParams {
  /** Stores the value as `art.<tag>`. */
  writeArtifact?: WriteArtifactParams | undefined;
  /** Effects with the text of the result as their content. */
  emit?: EmittedEffect[] | undefined;
}

/**
 * Parameters of a kind that renders its request, calls something that the application supplied, and produces a result.
 */
export interface CallParams extends ResultParams {
  /** True: a variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
  /** Time limit of each attempt. Only that of the run by default. */
  timeoutMs?: number | undefined;
  /** One attempt by default. */
  retry?: RetryParams | undefined;
}

/** The parameters of every kind that produces a result. */
export const resultShape: {
  writeArtifact: z.ZodExactOptional<typeof writeArtifactShape>;
  emit: z.ZodExactOptional<typeof emitShape>;
} = { writeArtifact: z.exactOptional(writeArtifactShape), emit: z.exactOptional(emitShape) };

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
