import type { Clock, IdGenerator, LanguageModel, Part, TokenCounter } from "@ccl/core";
import type { ListenerErrorHandler } from "@ccl/core/events";

import type { ModelResolver, Retriever } from "../kinds/kind-options.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { Trigger } from "../operation/operation-definition.ts";
import type { ChatStore } from "../ports/chat-store.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import type { RunClock } from "../ports/run-clock.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { LeaseOwners, RunStore } from "../ports/run-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type { OperationRegistry } from "../registry/create-operation-registry.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { ArtifactValueOptions } from "./artifact-values.ts";
import type { EngineLimits, LateResult, MainPrompt, TurnTool } from "./engine-services.ts";

/** What becomes of a start while the (chat, branch) has a run. */
export type WhenActive = "reject" | "queue" | "abort_previous";

/** Options of an engine; every port is in memory by default. */
export interface RunEngineOptions extends LeaseOwners {
  /** What profiles may name; those of `defineProfile` bring their operations along. */
  registry?: OperationRegistry | undefined;
  /** Answers turns. Of several the next is asked where one fails before its first text. */
  mainModel: LanguageModel | readonly LanguageModel[];
  /** What the main model may call: functions, and bridges such as `mcpToolBridge(client)` of @ccl/context-compiler. */
  tools?: readonly TurnTool[] | undefined;
  /** System prompt, template variables, sampling and limits of the main call. */
  turn?: TurnSettings | undefined;
  /** Of starts that name none. Runs that another process has begun with it resume here. */
  profile?: OperationProfile | undefined;
  profiles?: ProfileStore | undefined;
  runs?: RunStore | undefined;
  chat?: ChatStore | undefined;
  /** Keeps long values of artifacts by their content; the records of runs and states then hold handles. */
  artifacts?: ArtifactValueOptions | undefined;
  executor?: RunExecutor | undefined;
  /** For `turn.models`, and operations of kind `llm` that name another model than the main one. */
  models?: ModelResolver | undefined;
  /** For operations of kind `rag` that were registered without a handler. */
  retriever?: Retriever | undefined;
  renderer?: TemplateRenderer | undefined;
  counter?: TokenCounter | undefined;
  /** Cuts histories where `limits.prompt` is set; default `fitMessages` of @ccl/context-compiler. */
  promptFitter?: PromptFitter | undefined;
  limits?: EngineLimits | undefined;
  /**
   * With a store in `runs` and an executor that leaves it to the engine, runs whose worker has died resume here by themselves: the engine
   * looks for them each time a lease may expire. False: only `recover()`, `resume` and starts on their branch do so.
   */
  recover?: boolean | undefined;
  /** What that look deletes once an hour: runs that ended so long ago, by default 30 days. False: nothing. */
  prune?: { afterMs: number } | false | undefined;
  /** Default `reject`. A run whose worker has died blocks no start: it is resumed and waited for. */
  whenActive?: WhenActive | undefined;
  clock?: Clock | RunClock | undefined;
  ids?: IdGenerator | undefined;
  /** From 0 to below 1; draws the waits between attempts. */
  random?: (() => number) | undefined;
  /** Key of the hashes of prompts in summaries, one for each installation. */
  promptHashKey?: string | Uint8Array | undefined;
  /** Called with results that came too late and were dropped. */
  onLateResult?: ((late: LateResult) => void) | undefined;
  /**
   * Called with each prompt right before the main call: its messages, frozen, and in `explain` where each comes from and what
   * was trimmed, shortened or left out.
   */
  onPrompt?: ((prompt: MainPrompt) => void) | undefined;
  /** Receives what listeners of events, `onLateResult` and `onPrompt` throw; default `reportListenerError` of core. */
  onListenerError?: ListenerErrorHandler | undefined;
}

/** What a run is started with. */
export interface StartOptions {
  chatId: string;
  /** What the user says, to begin a new turn: kept in the chat first. */
  message?: string | Part[] | undefined;
  /** Default "main". */
  branchId?: string | undefined;
  /** Default `generate`; `regenerate` answers a turn again. */
  trigger?: Trigger | undefined;
  /**
   * On generate the id of the new message, or of one that the chat holds already where `message` is absent. On
   * regenerate the turn to answer again; default the branch's last.
   */
  userMessageId?: string | undefined;
  /** Checked first, unless `validateProfile` gave it. */
  profile?: OperationProfile | undefined;
  /** Id of a stored profile. Without either the main call is all. */
  profileRef?: string | undefined;
  /** System prompt, template variables, model and sampling of this turn; before what the profile and the engine say. */
  turn?: TurnSettings | undefined;
  /** Who wanted it; for the record. */
  initiator?: string | undefined;
  /** The same id with the same payload gives the same run for 24 hours; with another it is `idempotency_conflict`. */
  clientRequestId?: string | undefined;
  /** Milliseconds since the epoch; then the run is aborted. Not before the start. */
  deadlineAt?: number | undefined;
  /** How long the run may take, instead of `deadlineAt`; then it is aborted. */
  timeoutMs?: number | undefined;
  /** Instead of the engine's own. */
  whenActive?: WhenActive | undefined;
  /** Before the run exists it ends the start, afterwards it aborts the run. */
  signal?: AbortSignal | undefined;
}
