import { canonicalJson, sha256Hex } from "@ccl/core";

import type { ValidPlan } from "../../validate/valid-plan.ts";
import type { ResolvedPlan } from "./resolve-plan.ts";

/** SHA-256 of a plan's canonical JSON together with the hashes of the files that it would change. */
export function hashOfPlan(plan: ValidPlan, { actions }: ResolvedPlan): string {
  const bases = actions.map(({ action, base }) => [action.path, base?.sha256 ?? null]);
  return sha256Hex(canonicalJson({ plan, bases }));
}
