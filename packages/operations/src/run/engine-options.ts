import type {
  Clock,
  Complete,
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
import type { OperationHandler, Trigger } from "../operation/operation-definition.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import type { RunClock } from "../ports/run-clock.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { LeaseOwners, RunStore } from "../ports/run-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type { OperationRegistry, RegisteredOperation } from "../profile/registered-operation.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { ArtifactValueOptions } from "./artifact-values.ts";
import type { AssembledPrompt, PromptTrim } from "../prompt/assembled-prompt.ts";
import type { ChatStore, StoreCall } from "../ports/chat-store.ts";
import type { ConcurrencyLimiter } from "./concurrency-limiter.ts";

/** Limits of an engine. All fields have defaults. */
export interface EngineLimits {
  /** Maximum number of concurrent operations, across all runs of the engine. Unlimited by default. */
  concurrency?: number | undefined;
  /** How long an aborted run waits for work that ignores its signal. Defaults to 2,000 ms. */
  graceMs?: number | undefined;
  /** How long a worker counts as alive after its last renewal. Defaults to 30,000 ms. */
  leaseMs?: number | undefined;
  /** Minimum time between two `main_llm.delta` events. Defaults to 50 ms. */
  deltaIntervalMs?: number | undefined;
  /** How often to poll the store for a run that another worker executes. Defaults to 500 ms. */
  pollMs?: number | undefined;
  /** Limit of one operation's effects, including its artifact, in characters of JSON. Defaults to 250,000. */
  maxEffectChars?: number | undefined;
  /** Time limit of a store call. Defaults to 60,000 ms. After that, the run ends as if the store had failed. */
  storeTimeoutMs?: number | undefined;
  /**
   * Context window of the main model. Without it no prompt is trimmed. With it, the engine's `promptFitter` decides
   * what stays.
   */
  prompt?: PromptTrim | undefined;
}

/** The final prompt of a main call, and its report. */
export interface MainPrompt extends AssembledPrompt {
  runId: string;
  /** Counts from 1. Higher after a crash during the call. */
  attempt: number;
}

/** A function, or a bridge to tools that run elsewhere, such as `mcpToolBridge(client)`. */
export type TurnTool = ToolDefinition<never> | ToolBridge;

/** What a start does if the (chat, branch) has an active run. */
export type WhenActive = "reject" | "queue" | "abort_previous";

/** Options of an engine. All stores are in memory by default. */
export interface RunEngineOptions extends LeaseOwners {
  /** The operations that profiles may name. Profiles from `defineProfile` add their own operations. */
  registry?: OperationRegistry | undefined;
  /** Answers turns. If a model fails before its first text, the next one in the list is used. */
  mainModel: LanguageModel | readonly LanguageModel[];
  /** Tools of the main model: functions, and bridges such as `mcpToolBridge(client)` of @ccl/context-compiler. */
  tools?: readonly TurnTool[] | undefined;
  /** System prompt, template variables, sampling and limits of the main call. */
  turn?: TurnSettings | undefined;
  /** Profile for starts that name none. The engine resumes runs that another process started with it. */
  profile?: OperationProfile | undefined;
  profiles?: ProfileStore | undefined;
  /** Stores runs together with their chats. */
  runs?: RunStore | undefined;
  /** Stores long artifact values by content. Records of runs and states then contain handles. */
  artifacts?: ArtifactValueOptions | undefined;
  executor?: RunExecutor | undefined;
  /** Resolves the models of `turn.models`, and of `llm` operations that do not use the main model. */
  models?: ModelResolver | undefined;
  /** Used by operations of kind `rag` that were registered without a handler. */
  retriever?: Retriever | undefined;
  counter?: TokenCounter | undefined;
  /** Trims histories if `limits.prompt` is set. Defaults to `fitMessages` of @ccl/context-compiler. */
  promptFitter?: PromptFitter | undefined;
  limits?: EngineLimits | undefined;
  /**
   * Whether the engine looks for runs of dead workers each time a lease may expire, and resumes them. Defaults to true
   * if `runs` is set. If false, such runs are only resumed by `recover()`, `resume` and starts on their branch.
   */
  recover?: boolean | undefined;
  /** Recovery deletes runs that ended this long ago, once an hour. Defaults to 30 days. If false, it deletes none. */
  prune?: { afterMs: number } | false | undefined;
  /** Defaults to `reject`. A dead worker's run does not block a start: the engine resumes it and waits for it. */
  whenActive?: WhenActive | undefined;
  clock?: Clock | RunClock | undefined;
  ids?: IdGenerator | undefined;
  /** Returns a random number in [0, 1). Used for the delays between attempts. */
  random?: (() => number) | undefined;
  /** Key for the hashes of prompts in summaries, one per installation. */
  promptHashKey?: string | Uint8Array | undefined;
  /**
   * Called with each prompt directly before the main call. Receives the frozen messages, and in `explain` the origin of
   * each and what was trimmed, shortened or omitted.
   */
  onPrompt?: ((prompt: MainPrompt) => void) | undefined;
  /**
   * Receives each prompt of the main call and what was done to the history. One example is `recordTo` of
   * @ccl/inspector.
   */
  record?: ContextRecorder | undefined;
  /**
   * Receives errors from event listeners, `onPrompt` and the search for runs of dead workers. Defaults to
   * `reportListenerError` of core.
   */
  onListenerError?: ListenerErrorHandler | undefined;
}

/** Options of a start. */
export interface StartOptions {
  chatId: string;
  /** The user's message, which starts a new turn. It is stored in the chat first. */
  message?: string | Part[] | undefined;
  /** Defaults to "main". */
  branchId?: string | undefined;
  /** Defaults to `generate`. `regenerate` answers a turn again. */
  trigger?: Trigger | undefined;
  /**
   * For `generate`, the id of the new message, or without `message` that of a message in the chat. For `regenerate`,
   * the turn to answer again. Defaults to the branch's last turn.
   */
  userMessageId?: string | undefined;
  profile?: OperationProfile | undefined;
  /** Id of a stored profile. Without a profile, the run consists only of the main call. */
  profileRef?: string | undefined;
  /** System prompt, variables, model and sampling for this turn. Overrides the profile's and the engine's settings. */
  turn?: TurnSettings | undefined;
  /** Who requested the run, for the record. */
  initiator?: string | undefined;
  /** For 24 hours, the same id and payload return the same run. Another payload is `idempotency_conflict`. */
  clientRequestId?: string | undefined;
  /** When to abort the run, in milliseconds since the epoch. Must not be before the start. */
  deadlineAt?: number | undefined;
  /** How long the run may take before it is aborted. Alternative to `deadlineAt`. */
  timeoutMs?: number | undefined;
  /** Overrides the engine's setting. */
  whenActive?: WhenActive | undefined;
  /** Cancels the start before the run exists, and aborts the run afterwards. */
  signal?: AbortSignal | undefined;
}

/** Services shared by all runs of an engine. */
export interface EngineServices extends Pick<
  RunEngineOptions,
  "onPrompt" | "record" | "onListenerError"
> {
  registry: OperationRegistry;
  /** Models in order of preference. If one fails, the next is called. */
  mainModels: readonly LanguageModel[];
  models: ModelResolver;
  tools: readonly TurnTool[];
  /** Callbacks that wake operations in this process that wait for answers. */
  waiting: Set<() => void>;
  turn: TurnSettings;
  runs: RunStore;
  chat: ChatStore;
  /** Deletes long values that are no longer in use. Absent without an artifact store. */
  sweepValues?: ((call: StoreCall) => Promise<number>) | undefined;
  limiter: ConcurrencyLimiter;
  clock: RunClock;
  ids: IdGenerator;
  random: () => number;
  fitter: PromptFitter;
  limits: Complete<Omit<EngineLimits, "concurrency" | "prompt">> & Pick<EngineLimits, "prompt">;
  /** How often a worker renews its leases and checks for aborts from other processes. */
  renewMs: number;
  handlerOf(operation: RegisteredOperation): OperationHandler | undefined;
  isOwnerDead(owner: string): Promise<boolean>;
}
