import { z } from "zod";

import { type Kind, type ResultParams, createKind, resultShape } from "./kind.ts";
import { OperationError } from "./operation-error.ts";

/** Parameters of the kind `wait`. */
export interface WaitParams extends ResultParams {
  /** The question to ask, as a Liquid template. If empty, the operation only waits for the timeout. */
  question: string;
  /** Milliseconds from the run's start, after which it continues with `otherwise`. By default it waits indefinitely. */
  maxWaitMs?: number | undefined;
  /** Any JSON value. Defaults to null. */
  otherwise?: unknown;
}

const params: z.ZodType<WaitParams> = z.strictObject({
  question: z.string().max(100_000),
  maxWaitMs: z.exactOptional(z.int().min(0)),
  otherwise: z.unknown().optional(),
  ...resultShape,
});

/** Waits for the answer from `engine.answer`, or continues with `otherwise` after the timeout. */
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
