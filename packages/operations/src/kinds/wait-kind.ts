import { z } from "zod";

import { createKind, type Kind } from "./kind.ts";
import { type ResultParams, resultShape } from "./kind-params.ts";
import { OperationError } from "./operation-error.ts";

/** Parameters of the kind `wait`. */
export interface WaitParams extends ResultParams {
  /** Liquid. The question to a person. If empty, the operation waits for the time alone. */
  question: string;
  /**
   * Milliseconds from the run's start, after which it continues with `otherwise`. By default it waits for the answer.
   */
  maxWaitMs?: number | undefined;
  /** JSON. null by default. */
  otherwise?: unknown;
}

const params: z.ZodType<WaitParams> = z.strictObject({
  question: z.string().max(100_000),
  maxWaitMs: z.exactOptional(z.int().min(0)),
  otherwise: z.unknown().optional(),
  ...resultShape,
});

/** Waits for the answer of `engine.answer`, or takes `otherwise` when the time is up. */
export const waitKind: Kind = createKind(
  params,
  () =>
    async ({ context, params: { question, maxWaitMs, otherwise = null }, render }) => {
      const { startedAtMs = 0, answer } = context;
      if (answer === undefined)
        throw new OperationError(
          "internal_error",
          "This run does not support waiting for an answer.",
        );
      const untilMs = maxWaitMs === undefined ? undefined : startedAtMs + maxWaitMs;
      const asked = { question: render(question) || undefined, untilMs };
      const { value } = (await answer(asked)) ?? { value: otherwise };
      return { value, text: typeof value === "string" ? value : JSON.stringify(value) };
    },
);
