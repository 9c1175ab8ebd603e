export { artifactRetriever } from "./adapters/artifact-retriever.ts";
export { bridgedTools } from "./adapters/bridged-tools.ts";
export { catalogRetriever, type SearchedCatalog } from "./adapters/catalog-retriever.ts";
export { memoryRetriever } from "./adapters/memory-retriever.ts";
export type {
  ArtifactVersion,
  OperationArtifact,
  PromptInclusion,
} from "./artifact/operation-artifact.ts";
export type {
  ArtifactEffect,
  OperationEffect,
  PromptEffect,
  TurnEffect,
} from "./effects/operation-effect.ts";
export {
  foldRunEvents,
  type OperationView as OperationProgressView,
  type RunView,
} from "./events/fold-run-events.ts";
export type { RunEvent } from "./events/run-event.ts";
export { defineProfile, type ProfileDraft } from "./define/define-profile.ts";
export type { DefinedProfile } from "./define/defined-profile.ts";
export type { OperationSettings, OperationSpec, ResultSettings } from "./define/operation-spec.ts";
export {
  compute,
  type ComputeInput,
  custom,
  guard,
  llm,
  type LlmSettings,
  rag,
  template,
  tool,
  transform,
  waitFor,
} from "./define/operations.ts";
export {
  createBuiltinOperations,
  type BuiltinOperationsOptions,
  type OperationTarget,
} from "./kinds/create-builtin-operations.ts";
export type { ModelResolver } from "./kinds/create-llm-operation.ts";
export type { RetrievedPassage, Retriever } from "./kinds/create-rag-operation.ts";
export type { ModelPrice } from "./kinds/model-price.ts";
export type { OperationCondition, OperationConfig } from "./operation/operation-config.ts";
export type {
  MainResult,
  OperationContext,
  OperationHandler,
  OperationPolicy,
} from "./operation/operation-context.ts";
export type { ModelReference, TurnSettings } from "./operation/turn-settings.ts";
export type {
  Hook,
  OperationDefinition,
  OperationKind,
  Trigger,
} from "./operation/operation-definition.ts";
export type {
  OperationErrorCode,
  OperationFailure,
  OperationOutcome,
} from "./operation/operation-outcome.ts";
export { OperationsError, type OperationsErrorCode } from "./operations-error.ts";
export type {
  AssistantVariant,
  ChatBranch,
  ChatStore,
  ChatTurn,
  NewUserMessage,
  TurnCommit,
} from "./ports/chat-store.ts";
export type {
  BranchPage,
  ConversationStore,
  ListBranchesOptions,
  TurnEdit,
  TurnWindow,
} from "./ports/conversation-store.ts";
export { readSillyTavernChat } from "./ports/read-silly-tavern-chat.ts";
export { searchTurns, type TurnSearch } from "./ports/search-turns.ts";
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
  KeptVersion,
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
export type { FitRequest, PromptFitter } from "./ports/prompt-fitter.ts";
export type { RunClock } from "./ports/run-clock.ts";
export type {
  ExecutorEngine,
  OperationAttempt,
  OperationKey,
  RunDriver,
  RunExecutor,
} from "./ports/run-executor.ts";
export { runStepKey } from "./ports/run-step.ts";
export type { RunStep } from "./ports/run-step.ts";
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
export type { OperationProfile, ProfileOperation } from "./profile/operation-profile.ts";
export {
  createOperationRegistry,
  type OperationRegistry,
} from "./registry/create-operation-registry.ts";
export { createRunEngine } from "./run/create-run-engine.ts";
export type { RunAnswer, RunEngine } from "./run/run-engine.ts";
export type { RunEngineOptions, StartOptions } from "./run/engine-options.ts";
export type { EngineLimits } from "./run/engine-services.ts";
export type { PromptTrim } from "./prompt/assembled-prompt.ts";
export type { RunHandle } from "./run/live-run.ts";
export type { OperationStatus, RunFinishReason, RunResult, RunStatus } from "./run/run-result.ts";
