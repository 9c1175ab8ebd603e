export { artifactRetriever } from "./adapters/artifact-retriever.ts";
export { bridgedTools } from "./adapters/bridged-tools.ts";
export { catalogRetriever } from "./adapters/catalog-retriever.ts";
export { memoryRetriever } from "./adapters/memory-retriever.ts";
export type { ArtifactVersion, OperationArtifact } from "./artifact/operation-artifact.ts";
export type { OperationEffect } from "./effects/operation-effect.ts";
export { foldRunEvents, type RunView } from "./events/fold-run-events.ts";
export type { RunEvent, RunResult, RunStatus } from "./events/run-event.ts";
export { defineProfile, type ProfileDraft, type OperationSpec } from "./define/define-profile.ts";
export type { DefinedProfile, OperationRegistry } from "./profile/registered-operation.ts";
export {
  compute,
  custom,
  guard,
  llm,
  rag,
  template,
  tool,
  transform,
  waitFor,
} from "./define/operations.ts";
export { createBuiltinOperations } from "./kinds/create-builtin-operations.ts";
export type { BuiltinOperationsOptions, Retriever } from "./kinds/kind-options.ts";
export type {
  OperationConfig,
  MainResult,
  OperationContext,
  OperationHandler,
  OperationOutcome,
  Hook,
  OperationDefinition,
  OperationStatus,
} from "./operation/operation-definition.ts";
export { OperationsError } from "./operations-error.ts";
export { type ProfileSessionKey, readState } from "./ports/chat-state.ts";
export type {
  AssistantVariant,
  ChatStore,
  ChatTurn,
  KeptState,
  KeptWrite,
  TurnCommit,
  VariantState,
  StoredTurn,
  PageRequest,
  StoreCall,
} from "./ports/chat-store.ts";
export type {
  BranchPage,
  ConversationStore,
  TurnEdit,
  TurnWindow,
} from "./ports/conversation-store.ts";
export { createOperationStores, type OperationStores } from "./stores/create-operation-stores.ts";
export { searchTurns } from "./ports/search-turns.ts";
export type { ProfilePage, ProfileStore, SaveProfileOptions } from "./ports/profile-store.ts";
export type { PromptFitter } from "./ports/prompt-fitter.ts";
export type { RunDriver, RunExecutor } from "./ports/run-executor.ts";
export type {
  RunStep,
  AppendOutcome,
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
export type { OperationProfile } from "./profile/operation-profile.ts";
export { createOperationRegistry } from "./profile/create-operation-registry.ts";
export { createRunEngine } from "./run/create-run-engine.ts";
export type { RunEngine } from "./run/run-engine.ts";
export type { RunEngineOptions, StartOptions } from "./run/engine-options.ts";
export type { RunHandle } from "./run/live-run.ts";
