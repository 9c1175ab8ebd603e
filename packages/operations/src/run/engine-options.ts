import type {
  Clock,
  IdGenerator,
  LanguageModel,
  Part,
  TokenCounter,
  ToolDefinition,
} from "@ccl/core";
import type { ToolBridge } from "@ccl/context-compiler/tool-interrupt";
import type { ListenerErrorHandler } from "@ccl/core/events";
import type { ContextRecorder } from "@ccl/core/tracing";

import type { ModelResolver, Retriever } from "../kinds/kind-options.ts";
import type { Trigger } from "../operation/operation-definition.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import type { RunClock } from "../ports/run-clock.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { LeaseOwners, RunStore } from "../ports/run-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type { OperationRegistry } from "../profile/registered-operation.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { ArtifactValueOptions } from "./artifact-values.ts";
import type { AssembledPrompt, PromptTrim } from "../prompt/assembled-prompt.ts";

/** Limits of an engine. Every field has a default. */
export interface EngineLimits {
  /** How many operations may run concurrently, over all runs of the engine. Unlimited by default. */
  concurrency?: number | undefined;
  /** How long an aborted run waits for work that ignores its signal. 2,000 ms by default. */
  graceMs?: number | undefined;
  /** How long a worker counts as alive after its last renewal. 30,000 ms by default. */
  leaseMs?: number | undefined;
  /** The shortest time between two `main_llm.delta` events. 50 ms by default. */
  deltaIntervalMs?: number | undefined;
  /** How often the store is polled for a run that another worker executes. 500 ms by default. */
  pollMs?: number | undefined;
  /** Limit of the effects of one operation, including its artifact, in characters of JSON. 250,000 by default. */
  maxEffectChars?: number | undefined;
  /** How long a call of a store may take, 60,000 ms by default. After that the run ends as if the store had failed. */
  storeTimeoutMs?: number | undefined;
  /**
   * The window of the main model. Without it no prompt is cut. With it the engine's `promptFitter` decides what stays.
   */
  prompt?: PromptTrim | undefined;
}

/** The prompt of a main call as it is sent, and its report. */
export interface MainPrompt extends AssembledPrompt {
  runId: string;
  /** Counts from 1. Higher after a crash during the call. */
  attempt: number;
}

/** Functions, and bridges to tools that run elsewhere, such as `mcpToolBridge(client)`. */
export type TurnTool = ToolDefinition<never> | ToolBridge;

/** What a start does while the (chat, branch) has an active run. */
export type WhenActive = "reject" | "queue" | "abort_previous";

/** Options of an engine. Every store is in memory by default. */
export interface RunEngineOptions extends LeaseOwners {
  /** The operations that profiles may name. Profiles of `defineProfile` add their own operations. */
  registry?: OperationRegistry | undefined;
  /** Answers turns. If a model fails before its first text, the next one in the list is called. */
  mainModel: LanguageModel | readonly LanguageModel[];
  /** Tools of the main model: functions, and bridges such as `mcpToolBridge(client)` of @ccl/context-compiler. */
  tools?: readonly TurnTool[] | undefined;
  /** System prompt, template variables, sampling and limits of the main call. */
  turn?: TurnSettings | undefined;
  /** Profile of starts that name none. The engine resumes runs that another process began with it. */
  profile?: OperationProfile | undefined;
  profiles?: ProfileStore | undefined;
  /** Stores runs together with their chats. */
  runs?: RunStore | undefined;
  /** Stores long values of artifacts by their content. Records of runs and states then contain handles. */
  artifacts?: ArtifactValueOptions | undefined;
  executor?: RunExecutor | undefined;
  /** Finds the models of `turn.models`, and of `llm` operations that do not use the main model. */
  models?: ModelResolver | undefined;
  /** For operations of kind `rag` that were registered without a handler. */
  retriever?: Retriever | undefined;
  counter?: TokenCounter | undefined;
  /** Cuts histories if `limits.prompt` is set. `fitMessages` of @ccl/context-compiler by default. */
  promptFitter?: PromptFitter | undefined;
  limits?: EngineLimits | undefined;
  /**
   * Whether the engine looks for runs of dead workers each time a lease may expire, and resumes them. It does so by
   * default if `runs` is set. False: only `recover()`, `resume` and starts
   * on their branch resume such runs.
   */
  recover?: boolean | undefined;
  /** Which runs that recovery deletes once an hour: those that ended this long ago, 30 days by default. False: none. */
  prune?: { afterMs: number } | false | undefined;
  /** `reject` by default. A run of a dead worker blocks no start: the engine resumes it and waits for it. */
  whenActive?: WhenActive | undefined;
  clock?: Clock | RunClock | undefined;
  ids?: IdGenerator | undefined;
  /** A random number from 0 to below 1. Used for the waits between attempts. */
  random?: (() => number) | undefined;
  /** Key for the hashes of prompts in summaries, one for each installation. */
  promptHashKey?: string | Uint8Array | undefined;
  /**
   * Called with each prompt directly before the main call. It receives the frozen messages, and in `explain` where
   * each comes from and what was trimmed, shortened or left out.
   */
  onPrompt?: ((prompt: MainPrompt) => void) | undefined;
  /** Receives each prompt of the main call with what was done to the history, such as `recordTo` of @ccl/inspector. */
  record?: ContextRecorder | undefined;
  /**
   * Receives errors of event listeners, `onPrompt` and the search for runs of dead workers.
   * `reportListenerError` of core by default.
   */
  onListenerError?: ListenerErrorHandler | undefined;
}

/** Options of a start. */
export interface StartOptions {
  chatId: string;
  /** The user's message, which begins a new turn. It is stored in the chat first. */
  message?: string | Part[] | undefined;
  /** "main" by default. */
  branchId?: string | undefined;
  /** `generate` by default. `regenerate` answers a turn again. */
  trigger?: Trigger | undefined;
  /**
   * For `generate`, the id of the new message, or without `message` that of a message in the chat. For `regenerate`,
   * the turn to answer again. The branch's last turn by default.
   */
  userMessageId?: string | undefined;
  profile?: OperationProfile | undefined;
  /** Id of a stored profile. Without a profile the run consists of the main call only. */
  profileRef?: string | undefined;
  /** System prompt, variables, model and sampling of this turn. Overrides settings of the profile and the engine. */
  turn?: TurnSettings | undefined;
  /** Who requested the run, for the record. */
  initiator?: string | undefined;
  /** For 24 hours the same id and payload return the same run. Another payload is `idempotency_conflict`. */
  clientRequestId?: string | undefined;
  /** When the run is aborted, in milliseconds since the epoch. It must not be before the start. */
  deadlineAt?: number | undefined;
  /** How long the run may take before it is aborted. An alternative to `deadlineAt`. */
  timeoutMs?: number | undefined;
  /** Overrides the engine's setting. */
  whenActive?: WhenActive | undefined;
  /** Cancels the start before the run exists, and aborts the run afterwards. */
  signal?: AbortSignal | undefined;
}
