export {
  diffArtifactVersions,
  type ArtifactDiff,
  type DiffArtifactOptions,
  type DiffLine,
} from "./artifact/diff-artifact-versions.ts";
export type { JsonPatchOperation } from "./artifact/json-patch.ts";
export type {
  ArtifactRetention,
  ArtifactSemantics,
  ArtifactUsage,
  ArtifactVersion,
  ArtifactWrite,
  OperationArtifact,
  PromptInclusion,
} from "./artifact/operation-artifact.ts";
export type {
  ArtifactEffect,
  InsertRole,
  OperationEffect,
  PromptAnchor,
  PromptEffect,
  PromptPayload,
  TurnEffect,
} from "./effects/operation-effect.ts";
export type { RunEventListener } from "./events/event-feed.ts";
export {
  foldRunEvents,
  type OperationView as OperationProgressView,
  type RunView,
} from "./events/fold-run-events.ts";
export type {
  EventError,
  RunEvent,
  RunEventBody,
  RunEventStamp,
  RunPhase,
} from "./events/run-event.ts";
export type { BlockTransform } from "./kinds/block-transform.ts";
export {
  createBuiltinOperations,
  type BuiltinKind,
  type BuiltinOperations,
  type BuiltinOperationsOptions,
  type OperationTarget,
} from "./kinds/create-builtin-operations.ts";
export type {
  ComputeFunction,
  ComputeOperationOptions,
  ComputeView,
} from "./kinds/create-compute-operation.ts";
export type { LegacyFunction, LegacyResult } from "./kinds/create-legacy-operation.ts";
export type {
  LlmOperationOptions,
  ModelReference,
  ModelResolver,
} from "./kinds/create-llm-operation.ts";
export type {
  RagOperationOptions,
  RetrievedPassage,
  Retriever,
} from "./kinds/create-rag-operation.ts";
export type { ToolOperationOptions } from "./kinds/create-tool-operation.ts";
export type { TransformOperationOptions } from "./kinds/create-transform-operation.ts";
export type { ModelPrice, ModelPrices } from "./kinds/model-price.ts";
export type { AttemptServices } from "./kinds/run-attempts.ts";
export {
  createTemplateRenderer,
  type TemplateRendererOptions,
} from "./liquid/create-template-renderer.ts";
export type { FilterMeter, TemplateFilter } from "./liquid/template-filter.ts";
export type { TemplateLimits } from "./liquid/template-limits.ts";
export type {
  RenderTemplateOptions,
  TemplateRenderer,
  TemplateScope,
} from "./liquid/template-renderer.ts";
export type { OperationCondition, OperationConfig } from "./operation/operation-config.ts";
export type {
  MainResult,
  OperationContext,
  OperationPolicy,
} from "./operation/operation-context.ts";
export type {
  Hook,
  OperationDefinition,
  OperationHandler,
  OperationKind,
  Trigger,
} from "./operation/operation-definition.ts";
export type {
  OperationDebug,
  OperationErrorCode,
  OperationFailure,
  OperationOutcome,
  SkippedReason,
} from "./operation/operation-outcome.ts";
export { OperationsError, type OperationsErrorCode } from "./operations-error.ts";
export type {
  AssistantVariant,
  ChatBranch,
  ChatStore,
  ChatTurn,
  NewUserMessage,
  OperationTurnEffects,
  TurnCommit,
  TurnOutcome,
} from "./ports/chat-store.ts";
export type { StoredTurn, StoredVariant } from "./ports/chat-turn.ts";
export {
  createMemoryChatStore,
  type MemoryChatStore,
  type MemoryChatStoreOptions,
} from "./ports/create-memory-chat-store.ts";
export { createMemoryProfileSessionStore } from "./ports/create-memory-profile-session-store.ts";
export { createMemoryProfileStore } from "./ports/create-memory-profile-store.ts";
export {
  createMemoryRunStore,
  type MemoryRunStoreOptions,
} from "./ports/create-memory-run-store.ts";
export type {
  ProfileSessionKey,
  ProfileSessionStore,
  SessionCommit,
  SessionRevert,
  SessionSnapshot,
  SessionWrite,
  SessionWriteOutcome,
} from "./ports/profile-session-store.ts";
export type {
  ListProfilesOptions,
  ProfilePage,
  ProfileStore,
  SaveProfileOptions,
} from "./ports/profile-store.ts";
export type { RunClock } from "./ports/run-clock.ts";
export type {
  ExecutorEngine,
  OperationAttempt,
  OperationKey,
  RunDriver,
  RunExecutor,
} from "./ports/run-executor.ts";
export { runStepKey } from "./ports/run-step.ts";
export type { CommitStep, MainStep, OperationStep, RunStep, StopStep } from "./ports/run-step.ts";
export type {
  AbortRequest,
  AppendOutcome,
  ClientRequest,
  LeaseRenewal,
  LeaseRequest,
  ListRunsOptions,
  NewRun,
  ReadEventsOptions,
  RunAppend,
  RunCreation,
  RunInput,
  RunLease,
  PruneRunsOptions,
  RunPage,
  RunStore,
  StoredRun,
} from "./ports/run-store.ts";
export type { StoreCall } from "./ports/store-call.ts";
export { operationProfileSchema } from "./profile/operation-profile-schema.ts";
export type { OperationProfile, ProfileOperation } from "./profile/operation-profile.ts";
export {
  validateProfile,
  type ValidateProfileOptions,
  type ValidProfile,
} from "./profile/validate-profile.ts";
export { assemblePrompt } from "./prompt/assemble-prompt.ts";
export type {
  AssembledPrompt,
  AssemblePromptOptions,
  ClampedAnchor,
  DroppedInsert,
  EffectInput,
  InclusionInput,
  OverriddenUpdate,
  PromptBreakdown,
  PromptContributor,
  PromptOrigin,
  PromptReport,
  PromptTrim,
  ShortenedInclusion,
  TrimDecision,
} from "./prompt/assembled-prompt.ts";
export {
  createOperationRegistry,
  type OperationRegistry,
  type RegisteredOperation,
} from "./registry/create-operation-registry.ts";
export type { ConcurrencyLimits } from "./run/concurrency-limiter.ts";
export { createRunEngine, type RunEngine } from "./run/create-run-engine.ts";
export type { RunEngineOptions, StartOptions, WhenActive } from "./run/engine-options.ts";
export type { EngineLimits, LateResult, MainPrompt, MainRequest } from "./run/engine-services.ts";
export type { EventReading, RunHandle } from "./run/live-run.ts";
export type {
  CommitLogEntry,
  CommittedEffect,
  FailedDetails,
  FailedType,
  MainLlmRun,
  OperationRun,
  OperationStatus,
  RunArtifact,
  RunFinishReason,
  RunResult,
  RunStatus,
} from "./run/run-result.ts";
