import type { Complete } from "@ccl/core";
import type { FormatLadder } from "@ccl/structured-output";

import type { PlanLimits } from "../limits/plan-limits.ts";
import type { PlanMemory } from "../memory/plan-memory.ts";
import type { EventRecorder } from "../trace/event-recorder.ts";
import type { PlanMode } from "../validate/valid-plan.ts";
import type { PlanCycle } from "./plan-cycle.ts";
import type { PlanSessionOptions } from "./plan-session.ts";

/** Names of the options that have defaults. */
export type Defaulted =
  | "policy"
  | "responseFormat"
  | "editFormat"
  | "request"
  | "version"
  | "clock"
  | "ids";

/** Session options with defaults filled in, shared by all proposals. */
export type SessionSettings = PlanSessionOptions &
  Complete<Pick<PlanSessionOptions, Defaulted>> & {
    limits: PlanLimits;
    /** Remembers which formats the provider rejected. */
    ladder: FormatLadder;
  };

/** A proposal in progress. */
export interface ProposalRun extends SessionSettings {
  mode: PlanMode;
  /** A copy that replaces the session's cycle if the proposal succeeds. */
  cycle: PlanCycle;
  /** The task: the cycle's goal, or the user's reply to its saved plan. */
  goal: string;
  remembered: PlanMemory;
  changed: string[];
  recorder: EventRecorder;
  signal: AbortSignal | undefined;
}
