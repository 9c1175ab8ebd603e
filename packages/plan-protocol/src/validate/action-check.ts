import type { Issue } from "@ccl/core";

import type { PlanLimits } from "../limits/plan-limits.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanIssueCode } from "../plan-issue.ts";
import type { PlacedText } from "../place/place-changes.ts";
import type { PlanMode, ReadFile } from "./valid-plan.ts";

/** What is known while one action is checked. */
export interface ActionCheck {
  version: PlanVersion;
  mode: PlanMode;
  limits: PlanLimits;
  /** The file as it was read; undefined if it was not. */
  base: ReadFile | undefined;
  /** The new text of the file, or why there is none, where that is known already. */
  placed: PlacedText | readonly Issue[] | undefined;
  /** Adds an issue at a place below the action. */
  add(code: PlanIssueCode, at: (string | number)[], message: string): void;
  /** Adds issues of a part of the action, found at a place below it. */
  addAll(issues: readonly Issue[], at: (string | number)[]): void;
}
