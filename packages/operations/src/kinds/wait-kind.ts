import { z } from "zod";

import { createKind, type Kind } from "./kind.ts";
import { type ResultParams, resultShape } from "./kind-params.ts";
import { OperationError } from "./operation-error.ts";

/** Parameters of the kind `wait`. */
export interface WaitParams extends ResultParams {
  /** Liquid; what a person is asked. Empty: it waits for the time alone. */
  question: string;
  /** From the run's start; then it goes on with `otherwise`. Default: it waits for the answer. */
  maxWaitMs?: number | undefined;
  /** JSON; default null. */
  otherwise?: unknown;
}

const params: z.ZodType<WaitParams> = z.strictObject({
  question: z.string().max(100_000),
  maxWaitMs: z.exactOptional(z.int().min(0)),
  otherwise: z.unknown().optional(),
  ...resultShape,
});

/** The answer of `engine.answer`, or `otherwise` when the time has come. */
export const waitKind: Kind = createKind(
  params,
  () =>
    async ({ context, params: { question, maxWaitMs, otherwise = null }, render }) => {
      const { startedAtMs = 0, answer } = context;
      if (answer === undefined)
        throw new OperationError("internal_error", "Nothing here can be waited for.");
      const untilMs = maxWaitMs === undefined ? undefined : startedAtMs + maxWaitMs;
      const asked = { question: render(question) || undefined, untilMs };
      const { value } = (await answer(asked)) ?? { value: otherwise };
      return { value, text: typeof value === "string" ? value : JSON.stringify(value) };
    },
);
