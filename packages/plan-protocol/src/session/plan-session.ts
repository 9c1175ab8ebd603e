import type { Clock, IdGenerator, LanguageModel, ModelRequest, Result } from "@ccl/core";
import type { FormatLadder } from "@ccl/structured-output";

import type { EditFormat } from "../place/file-change.ts";
import type { PlanLimits } from "../limits/plan-limits.ts";
import type { MemoryPatchOutcome } from "../memory/apply-memory-patch.ts";
import type { SavedPlan } from "./plan-cycle.ts";
import type { PlanMemory } from "../memory/plan-memory.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanEvent, PlanTrace, PlanTraceSink } from "../trace/plan-trace.ts";
import type { PlanMode, ValidPlan } from "../validate/valid-plan.ts";
import type { PlanPolicy } from "../paths/path-allow-list.ts";
import type {
  Abortable,
  AppliedPlan,
  ApplyOptions,
  PlanPreview,
  PlanWorkspace,
} from "../workspace/plan-workspace.ts";

/** Where memory is read from, once a proposal. The session never writes any. */
export interface MemorySource {
  read(options?: Abortable): Promise<PlanMemory>;
}

/** Sampling and limits of every call. A member that is undefined is left to the provider. */
export type PlanModelRequest = {
  [
    Name in Exclude<
      keyof ModelRequest,
      "messages" | "responseFormat" | "tools" | "toolChoice" | "signal"
    >
  ]?: ModelRequest[Name] | undefined;
};

/** What a session works with. */
export interface PlanSessionOptions {
  model: LanguageModel;
  /** Without one no context can be read, and plans are checked but not previewed. */
  workspace?: PlanWorkspace | undefined;
  memory?: PlanMemory | MemorySource | undefined;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
  trace?: PlanTraceSink | undefined;
  /** `strict` (default) sends the schema, falling back where the provider refuses it; `best-effort` asks by the prompt alone. */
  responseFormat?: "strict" | "best-effort" | undefined;
  /**
   * In which format changes are asked for; `editFormatFor(model)` knows what a family is trained on. Any format is read.
   * Default `json`: the plan's own, by `version` and `responseFormat`.
   */
  editFormat?: EditFormat | undefined;
  /** Share one to remember refused formats beyond the session. */
  ladder?: FormatLadder | undefined;
  /** Over the defaults: temperature 0, topP 1, no penalties, 16,384 tokens (4,096 above 80,000 characters), 90 s. */
  request?: PlanModelRequest | undefined;
  /** A plan that another session saved. */
  savedPlan?: SavedPlan | undefined;
  clock?: Clock | undefined;
  /** Gives trace ids. */
  ids?: IdGenerator | undefined;
  onEvent?: ((event: PlanEvent) => void) | undefined;
  /** The version that is asked for first; default 2. */
  version?: PlanVersion | undefined;
  /** Answers sent back in one proposal: 2 (default) is one for form and one for content, 1 is one in all, 0 none. */
  repairs?: 0 | 1 | 2 | undefined;
  /** The project's folder as traces of its programs name it, so that their frames are found. */
  root?: string | undefined;
}

/** What belongs to one proposal. */
export interface ProposeOptions extends Abortable {
  /** Output of a test run, a stack trace, a log. Masked, and cut to `maxContextLogChars`. */
  report?: string | undefined;
  /** What the model is to know of the project from the start, such as a pack. Masked, never cut. */
  background?: string | undefined;
  /** Files whose lines the background shows, whole or in part: they may be edited, but not replaced. */
  shownFiles?: readonly string[] | undefined;
  /** Files to show whole from the start, such as those that the goal names. */
  files?: readonly string[] | undefined;
}

/** A plan that has passed every check. */
export interface ProposedPlan {
  mode: PlanMode;
  plan: ValidPlan;
  /** In apply mode with a workspace, where there is anything to do. */
  preview?: PlanPreview | undefined;
  /** True where the model says, in apply mode, that nothing needs to change. */
  isNoChange: boolean;
  /** Files that had changed when a saved plan was to be applied: this is a new plan then, to be looked at again. */
  changed: string[];
  /** What would become of the memory if the patch were applied; nothing was. Absent without a patch. */
  suggestedMemory?: MemoryPatchOutcome | undefined;
}

/** A plan, or every issue of the last answer; and the record of how it came about. */
export type Proposal = Result<ProposedPlan> & {
  trace: PlanTrace;
  /** Why the trace could not be written; the proposal holds all the same. */
  traceProblem?: string | undefined;
};

/**
 * A conversation with a model that ends in changes to files. Calls run one at a time. A call that throws leaves the session
 * as it was before.
 */
export interface PlanSession {
  /** The plan that waits to be applied. */
  readonly savedPlan: SavedPlan | undefined;
  /**
   * Does what the text asks for: `plan:` and `apply:` win, then "ok" while a plan is saved, then a verb, then the
   * `output_format` of the memory; otherwise a plan.
   * @throws LanguageModelError, PlanProtocolError
   */
  propose(goal: string, options?: ProposeOptions): Promise<Proposal>;
  /** A diagnosis and steps, without a change; replaces the saved plan. @throws LanguageModelError, PlanProtocolError */
  plan(goal: string, options?: ProposeOptions): Promise<Proposal>;
  /**
   * The changes of the saved plan, computed from the context that it is based on, read again. Where a file has changed
   * meanwhile the answer is a new plan that says so. Without a saved plan the text is the goal. Writes nothing to disk.
   * @throws LanguageModelError, PlanProtocolError
   */
  apply(text?: string, options?: ProposeOptions): Promise<Proposal>;
  /** Applies a proposal of this session to the workspace; success ends the saved plan. @throws PlanProtocolError */
  commit(proposed: ProposedPlan, options?: ApplyOptions): Promise<Result<AppliedPlan>>;
}
