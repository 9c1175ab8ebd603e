import { z } from "zod";

import { maxValueChars } from "../artifact/is-larger-than.ts";
import { boundedJson } from "./bounded-json.ts";
import { type Kind, type ResultParams, createKind, lookUp, resultShape } from "./kind.ts";
import { valuesByTag } from "./template-scope-of.ts";

/** Parameters of the kind `compute`. */
export interface ComputeParams extends ResultParams {
  /** Name of a function supplied by the application. */
  function: string;
  /** Any JSON value. Defaults to an empty object. */
  input?: unknown;
  /** Time limit of the call. By default only the run's limit applies. */
  timeoutMs?: number | undefined;
}

const params: z.ZodType<ComputeParams> = z.strictObject({
  function: z.string().min(1).max(200),
  input: z.exactOptional(z.unknown()),
  timeoutMs: z.exactOptional(z.int().min(1)),
  ...resultShape,
});

/** Stores the return value of a function. */
export const computeKind: Kind = createKind(
  params,
  ({ functions }) =>
    async ({ context, params: { function: name, input = {} }, debug, attempt }) => {
      const compute = lookUp("function", functions, name);
      debug.inputsSummary["function"] = name;
      const { artifacts, chatHistory, main, hook, trigger } = context;
      const art = valuesByTag(artifacts);
      const view = { art, chatHistory, main, hook, trigger };
      const given = await attempt(
        async (signal) => compute.run(input, { ...view, signal }),
        "internal_error",
      );
      const { value, text } = boundedJson(given, maxValueChars);
      debug.outputsSummary["valueChars"] = text.length;
      return { value, text };
    },
);
