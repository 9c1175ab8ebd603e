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

/** The source of memory, read once a proposal. The session never writes memory. */
export interface MemorySource {
  read(options?: Abortable): Promise<PlanMemory>;
}

/** Sampling and limits of every call. An undefined member is left to the provider. */
export type PlanModelRequest = {
  [
    Name in Exclude<
      keyof ModelRequest,
      "messages" | "responseFormat" | "tools" | "toolChoice" | "signal"
    >
  ]?: ModelRequest[Name] | undefined;
};

/** Options of a session. */
export interface PlanSessionOptions {
  model: LanguageModel;
  /** Without a workspace no context can be read, and plans are checked but not previewed. */
  workspace?: PlanWorkspace | undefined;
  memory?: MemorySource | undefined;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
  /**
   * `strict` (default) sends the schema and falls back if the provider refuses it. `best-effort` uses only the prompt.
   */
  responseFormat?: "strict" | "best-effort" | undefined;
  /**
   * The edit format that the model is told to use for changes. `editFormatFor(model)` picks the one that its family is
   * trained on. Answers are read in any format. Default `json`: this package's plan, according to `version` and
   * `responseFormat`.
   */
  editFormat?: EditFormat | undefined;
  /** Replaces defaults: temperature 0, topP 1, no penalties, 16,384 tokens (4,096 above 80,000 characters), 90 s. */
  request?: PlanModelRequest | undefined;
  /** A plan that another session saved. */
  savedPlan?: SavedPlan | undefined;
  clock?: Clock | undefined;
  /** Creates the ids of proposals. */
  ids?: IdGenerator | undefined;
  /** Called as it happens. All events of a proposal are its record. */
  onEvent?: ((event: PlanEvent) => void) | undefined;
  /** The version to request first. Default 2. */
  version?: PlanVersion | undefined;
  /** The project's folder as it appears in traces of its programs. Needed to find their frames. */
  root?: string | undefined;
}

/** Options of one proposal. */
export interface ProposeOptions extends Abortable {
  /** Output of a test run, a stack trace or a log. Masked, and cut to `maxContextLogChars`. */
  report?: string | undefined;
  /** Knowledge about the project for the model from the start, such as a pack. Masked, never cut. */
  background?: string | undefined;
  /** Files that the background shows completely or partly. They may be edited, but not replaced. */
  shownFiles?: readonly string[] | undefined;
  /** Files to show completely from the start, such as those that the goal names. */
  files?: readonly string[] | undefined;
}

/** A plan that has passed every check. */
export interface ProposedPlan {
  mode: PlanMode;
  plan: ValidPlan;
  /** Present in apply mode with a workspace, if there is anything to change. */
  preview?: PlanPreview | undefined;
  /** True if the model says, in apply mode, that nothing needs to change. */
  isNoChange: boolean;
  /** Files that had changed when a saved plan was to be applied. If there are any, this is a new plan to review. */
  changed: string[];
  /** The memory as it would be if the memory patch were applied. It has not been applied. Absent without a patch. */
  suggestedMemory?: MemoryPatchOutcome | undefined;
}

/** A plan or every issue of the last answer. `traceId` is the `trace_id` of its events. */
export type Proposal = Result<ProposedPlan> & { traceId: string };

/**
 * A conversation with a model that ends in changes of files. It runs one call at a time. A call that throws does not
 * change the session.
 */
export interface PlanSession {
  /** The plan that is waiting to be applied. */
  readonly savedPlan: SavedPlan | undefined;
  /**
   * Plans or applies, whichever the text requests: first `plan:` and `apply:` count, then "ok" while a plan is saved,
   * then a verb, then the memory's `output_format`. The default is a plan.
   * @throws LanguageModelError, PlanProtocolError
   */
  propose(goal: string, options?: ProposeOptions): Promise<Proposal>;
  /**
   * Proposes a diagnosis and steps without changes. Replaces the saved plan.
   * @throws LanguageModelError, PlanProtocolError
   */
  plan(goal: string, options?: ProposeOptions): Promise<Proposal>;
  /**
   * Proposes the changes of the saved plan. Reads the context that the plan is based on again. If a file has changed,
   * the result is a new plan that says so. Without a saved plan the text is the goal. Writes nothing to disk.
   * @throws LanguageModelError, PlanProtocolError
   */
  apply(text?: string, options?: ProposeOptions): Promise<Proposal>;
  /**
   * Applies a proposal of this session to the workspace. On success the saved plan is removed.
   * @throws PlanProtocolError
   */
  commit(proposed: ProposedPlan, options?: ApplyOptions): Promise<Result<AppliedPlan>>;
}
