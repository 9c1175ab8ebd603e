export {
  compactJson,
  type CompactForm,
  type CompactJsonOptions,
} from "./compact-forms/compact-json.ts";
export { compactText, type CompactTextOptions } from "./compact-forms/compact-text.ts";
export { artifactAttacher, type ArtifactAttacherOptions } from "./compile/artifact-attacher.ts";
export { compactor, type CompactorOptions } from "./compile/compactor.ts";
export type { ContextProcessor, ProcessorInput } from "./compile/context-processor.ts";
export {
  createContextCompiler,
  type CompileOptions,
  type ContextCompiler,
  type ContextCompilerOptions,
  type ContextLayout,
} from "./compile/create-context-compiler.ts";
export { historySelector, type HistorySelectorOptions } from "./compile/history-selector.ts";
export { memoryPreloader, type MemoryPreloaderOptions } from "./compile/memory-preloader.ts";
export type { MemoryHit, MemoryService } from "./compile/memory-service.ts";
export type { MemoryPlace } from "./compile/prompt-parts.ts";
export {
  runCompiled,
  type RunCompiledOptions,
  type RunOutcome,
  type RunStep,
} from "./compile/run-compiled.ts";
export type {
  ArtifactRef,
  CacheLayout,
  CompileTraceEntry,
  ContextEntry,
  ContextParts,
  Summarize,
  WorkingContext,
} from "./compile/working-context.ts";
export { ContextCompilerError, type ContextCompilerErrorCode } from "./context-compiler-error.ts";
export type { EvidenceEntry, EvidencePack } from "./evidence/evidence-pack.ts";
export {
  sessionFromEvidencePack,
  type SessionFromEvidenceOptions,
} from "./evidence/session-from-evidence-pack.ts";
export { verifyEvidencePack } from "./evidence/verify-evidence-pack.ts";
export { findArtifact } from "./externalize/find-artifact.ts";
export { renderArtifact } from "./externalize/render-artifact.ts";
export {
  guessMimeType,
  summarizeBytes,
  summarizeText,
  type SummarizeOptions,
  type TextContent,
} from "./externalize/summarize-content.ts";
export type { BudgetBreakdown } from "./fit/cut-history.ts";
export { fitMessages, type FitOptions, type FittedMessages } from "./fit/fit-messages.ts";
export type { ElidedRange } from "./fit/fit-policy.ts";
export type { FitState, FrozenCut } from "./fit/fit-state.ts";
export type { FitReason, FitTraceEntry } from "./fit/fit-trace.ts";
export { createSession } from "./session/create-session.ts";
export { eventMessage } from "./session/event-message.ts";
export type {
  ContentInput,
  EventDraft,
  SessionEventInput,
  ToolOutcomeInput,
  WithInput,
} from "./session/event-input.ts";
export type { EventLog } from "./session/event-log.ts";
export { openSession, type OpenSessionOptions } from "./session/open-session.ts";
export { parseSessionEvent } from "./session/parse-session-event.ts";
export { recordMessages } from "./session/record-messages.ts";
export {
  sessionEventKinds,
  type ArtifactPart,
  type ArtifactStoredData,
  type AssistantMessageData,
  type EncodedMediaPart,
  type EventBody,
  type EventContent,
  type EventPart,
  type EventStamp,
  type GuardDecisionData,
  type MemoryHitData,
  type MessageFields,
  type PhaseResultData,
  type SessionEvent,
  type SessionEventData,
  type SessionEventKind,
  type SummaryRecord,
  type ToolCallData,
  type ToolOutcomeData,
  type ToolTimeoutData,
  type UserInputData,
} from "./session/session-event.ts";
export { sessionMessages, type SessionMessage } from "./session/session-timeline.ts";
export type { RecordOptions, Session, SessionOptions } from "./session/session.ts";
export { createMemorySessionStore } from "./session-store/create-memory-session-store.ts";
export type {
  AppendOptions,
  EventPage,
  ListSessionsOptions,
  ReadOptions,
  SessionPage,
  SessionStore,
  StateEntry,
} from "./session-store/session-store.ts";
