import type { Clock, IdGenerator, LanguageModel } from "@ccl/core";
import type { FormatLadder } from "@ccl/structured-output";

import type { EditFormat } from "../place/file-change.ts";
import type { PlanLimits } from "../limits/plan-limits.ts";
import type { PlanMemory } from "../memory/plan-memory.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanEvent } from "../trace/plan-event.ts";
import type { PlanTraceSink } from "../trace/plan-trace.ts";
import type { TraceRecorder } from "../trace/trace-recorder.ts";
import type { PlanMode } from "../validate/valid-plan.ts";
import type { PlanPolicy } from "../paths/plan-policy.ts";
import type { PlanWorkspace } from "../workspace/plan-workspace.ts";
import type { PlanCycle } from "./plan-cycle.ts";
import type { MemorySource, PlanModelRequest } from "./plan-session.ts";

/** What stays the same in all proposals of a session. */
export interface SessionSettings {
  model: LanguageModel;
  workspace: PlanWorkspace | undefined;
  policy: PlanPolicy;
  limits: PlanLimits;
  responseFormat: "strict" | "best-effort";
  editFormat: EditFormat;
  ladder: FormatLadder;
  request: PlanModelRequest;
  version: PlanVersion;
  repairs: number;
  memory: PlanMemory | MemorySource;
  sink: PlanTraceSink | undefined;
  clock: Clock;
  ids: IdGenerator;
  onEvent: ((event: PlanEvent) => void) | undefined;
  root: string | undefined;
  triggers: readonly string[];
}

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
