import type { Complete } from "@ccl/core";

import type { PlanLimits } from "../limits/plan-limits.ts";
import type { TraceRecorder } from "../trace/trace-recorder.ts";
import type { PlanMode } from "../validate/valid-plan.ts";
import type { PlanCycle } from "./plan-cycle.ts";
import type { PlanSessionOptions } from "./plan-session.ts";

type Defaulted =
  | "policy"
  | "responseFormat"
  | "editFormat"
  | "ladder"
  | "request"
  | "version"
  | "repairs"
  | "memory"
  | "clock"
  | "ids";

/** What stays the same in all proposals of a session: its options, with their defaults. */
export type SessionSettings = PlanSessionOptions &
  Complete<Pick<PlanSessionOptions, Defaulted>> & { limits: PlanLimits };

/** One proposal under way. */
export interface ProposalRun extends SessionSettings {
  mode: PlanMode;
  /** A copy that the session takes over when the proposal succeeds. */
  cycle: PlanCycle;
  /** What is to be done: the cycle's goal, or what was said to its saved plan. */
  goal: string;
  /** Empty without memory. */
  memoryBlock: string;
  changed: string[];
  recorder: TraceRecorder;
  signal: AbortSignal | undefined;
}
