import type { z } from "zod";

import type { OperationContext } from "../operation/operation-context.ts";
import { OperationError } from "./operation-error.ts";
import { holdsToken } from "./scrub.ts";

const maxIssues = 20;

/** The parameters of an operation as its kind needs them. Throws an `OperationError` `validation_error` with all issues. */
export function readParams<Params>(schema: z.ZodType<Params>, context: OperationContext): Params {
  const { params } = context.config;
  if (holdsToken(params)) {
    const message =
      "The parameters hold what looks like a key or a token; store it elsewhere and name it by a reference.";
    throw new OperationError("validation_error", message);
  }
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, maxIssues)
    .map(({ path, message }) => ({ path: path.join("."), message }));
  const first = issues.map(
    ({ path, message }) => `${path === "" ? "params" : `params.${path}`}: ${message}`,
  );
  throw new OperationError(
    "validation_error",
    `The parameters do not fit the kind: ${first.join("; ")}.`,
    {
      details: { issues },
    },
  );
}

/** Throws `policy_error` where the hook does not allow an effect that the operation would have. */
export function requireAllowed(types: readonly string[], { policy, hook }: OperationContext): void {
  const refused = types.filter((type) => !policy.allowedEffects.includes(type));
  if (refused.length === 0) return;
  throw new OperationError(
    "policy_error",
    `Effects of type ${refused.join(", ")} are not allowed in ${hook}.`,
  );
}
