import type { Clock, IdGenerator, LanguageModel, ModelRequest, Result } from "@ccl/core";

import type { EditFormat } from "../place/file-change.ts";
import type { PlanLimits } from "../limits/plan-limits.ts";
import type { MemoryPatchOutcome } from "../memory/apply-memory-patch.ts";
import type { SavedPlan } from "./plan-cycle.ts";
import type { PlanMemory } from "../memory/plan-memory.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanEvent } from "../trace/plan-event.ts";
import type { PlanMode, ValidPlan } from "../validate/valid-plan.ts";
import type { PlanPolicy } from "../paths/path-allow-list.ts";
import type {
  Abortable,
  AppliedPlan,
  ApplyOptions,
  PlanPreview,
  PlanWorkspace,
} from "../workspace/plan-workspace.ts";

/** The source of memory, read once per proposal. The session never writes memory. */
export interface MemorySource {
  read(options?: Abortable): Promise<PlanMemory>;
}

/** Sampling and limits of every call. Undefined fields are left to the provider. */
export type PlanModelRequest = {
  [
    Name in Exclude<
      keyof ModelRequest,
      "messages" | "responseFormat" | "tools" | "toolChoice" | "signal"
    >
  ]?: ModelRequest[Name] | undefined;
};

/** Session options. */
export interface PlanSessionOptions {
  model: LanguageModel;
  /** Without a workspace, no context can be read, and plans are checked but not previewed. */
  workspace?: PlanWorkspace | undefined;
  memory?: MemorySource | undefined;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
  /**
   * `strict` (default) sends the schema, with a fallback if the provider refuses it. `best-effort` uses only the
   * prompt.
   */
  responseFormat?: "strict" | "best-effort" | undefined;
  /**
   * The edit format requested from the model for changes. `editFormatFor(model)` picks the one that its family is
   * trained on. Answers are read in any format. Defaults to `json`: this package's plan, according to `version` and
   * `responseFormat`.
   */
  editFormat?: EditFormat | undefined;
  /**
   * Overrides the defaults: temperature 0, topP 1, no penalties, 16,384 tokens (4,096 above 80,000 characters), 90 s.
   */
  request?: PlanModelRequest | undefined;
  /** A plan saved by another session. */
  savedPlan?: SavedPlan | undefined;
  clock?: Clock | undefined;
  /** Creates proposal ids. */
  ids?: IdGenerator | undefined;
  /** Called as events happen. Together, a proposal's events are its record. */
  onEvent?: ((event: PlanEvent) => void) | undefined;
  /** Version to request first. Defaults to 2. */
  version?: PlanVersion | undefined;
  /** The project folder as it appears in its programs' traces. Needed to find their frames. */
  root?: string | undefined;
}

/** Options for one proposal. */
export interface ProposeOptions extends Abortable {
  /** Output of a test run, a stack trace or a log. Secrets are masked. Cut to `maxContextLogChars`. */
  report?: string | undefined;
  /** Project knowledge shown to the model from the start, such as a pack. Masked, never cut. */
  background?: string | undefined;
  /** Files that the background shows in whole or in part. They may be edited, but not replaced. */
  shownFiles?: readonly string[] | undefined;
  /** Files to show in full from the start, such as those the goal names. */
  files?: readonly string[] | undefined;
}

/** A plan that passed every check. */
export interface ProposedPlan {
  mode: PlanMode;
  plan: ValidPlan;
  /** Present in apply mode with a workspace, if anything changes. */
  preview?: PlanPreview | undefined;
  /** True if the model says in apply mode that no changes are needed. */
  isNoChange: boolean;
  /** Files that changed before a saved plan was applied. If there are any, this is a new plan to review. */
  changed: string[];
  /** The memory that would result from the memory patch, which has not been applied. Absent without a patch. */
  suggestedMemory?: MemoryPatchOutcome | undefined;
}

/** A plan, or every issue of the last answer. `traceId` is the `trace_id` of its events. */
export type Proposal = Result<ProposedPlan> & { traceId: string };

/**
 * A conversation with a model that results in file changes. Runs one call at a time. A call that throws leaves the
 * session unchanged.
 */
export interface PlanSession {
  /** The plan waiting to be applied. */
  readonly savedPlan: SavedPlan | undefined;
  /**
   * Plans or applies, depending on the text: `plan:` and `apply:` are checked first, then "ok" while a plan is saved,
   * then a verb, then the memory's `output_format`. Defaults to a plan.
   * @throws LanguageModelError, PlanProtocolError
   */
  propose(goal: string, options?: ProposeOptions): Promise<Proposal>;
  /**
   * Proposes a diagnosis and steps without changes. Replaces any saved plan.
   * @throws LanguageModelError, PlanProtocolError
   */
  plan(goal: string, options?: ProposeOptions): Promise<Proposal>;
  /**
   * Proposes the saved plan's changes. Rereads the context that the plan is based on. If a file has changed, the result
   * is a new plan that says so. Without a saved plan, the text is the goal. Writes nothing to disk.
   * @throws LanguageModelError, PlanProtocolError
   */
  apply(text?: string, options?: ProposeOptions): Promise<Proposal>;
  /**
   * Applies one of this session's proposals to the workspace. Removes the saved plan on success.
   * @throws PlanProtocolError
   */
  commit(proposed: ProposedPlan, options?: ApplyOptions): Promise<Result<AppliedPlan>>;
}
