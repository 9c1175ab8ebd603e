import type { PathAllowList } from "./path-allow-list.ts";

/** Which paths a plan may name. */
export interface PlanPolicy {
  /** Off by default; what it does not allow is `FORBIDDEN_PATH`. */
  allowList?: PathAllowList | undefined;
}
