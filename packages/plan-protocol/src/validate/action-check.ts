import type { Issue } from "@ccl/core";

import type { PlanLimits } from "../limits/plan-limits.ts";
import type { EditOfFile } from "../place/place-changes.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanIssueCode } from "../plan-issue.ts";
import type { PlanMode, ReadFile } from "./valid-plan.ts";

/** Context for checking one action. */
export interface ActionCheck {
  version: PlanVersion;
  mode: PlanMode;
  limits: PlanLimits;
  /** The file as it was read. Undefined if it was not read. */
  base: ReadFile | undefined;
  /** The edits from an answer in another format. Undefined if the action itself says what it changes. */
  edits: readonly EditOfFile[] | undefined;
  /** Why the file could not be read, if requested. */
  unread: string | undefined;
  /** Adds to the plan's total size. */
  addBytes(count: number): void;
  /** Adds an issue at a path below the action. */
  add(code: PlanIssueCode, at: (string | number)[], message: string): void;
  /** Adds issues found in part of the action. */
  addAll(issues: readonly Issue[], at: (string | number)[]): void;
}
