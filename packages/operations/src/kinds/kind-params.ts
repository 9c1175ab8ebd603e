import { z } from "zod";

import { emitShape, writeArtifactShape } from "../effects/effect-shape.ts";
import type { EmittedEffect, WriteArtifactParams } from "../effects/operation-effect.ts";
import { type RetryParams, retrySchema } from "./retry.ts";

/** Where a result goes. */
export interface ResultParams {
  /** Stores the value as `art.<tag>`. */
  writeArtifact?: WriteArtifactParams | undefined;
  /** Effects that use the result's text as their content. */
  emit?: EmittedEffect[] | undefined;
}

/** Parameters of a kind that renders its request, calls something the application supplied, and produces a result. */
export interface CallParams extends ResultParams {
  /** If true, a variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
  /** Time limit of each attempt. By default only the run's limit applies. */
  timeoutMs?: number | undefined;
  /** Defaults to one attempt. */
  retry?: RetryParams | undefined;
}

/** Parameters shared by all kinds that produce a result. */
export const resultShape: {
  writeArtifact: z.ZodExactOptional<typeof writeArtifactShape>;
  emit: z.ZodExactOptional<typeof emitShape>;
} = { writeArtifact: z.exactOptional(writeArtifactShape), emit: z.exactOptional(emitShape) };

/** Parameters shared by all kinds that call something. */
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
