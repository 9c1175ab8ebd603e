export { artifactAttacher, type ArtifactAttacherOptions } from "./compile/artifact-attacher.ts";
export { compactor, type CompactorOptions } from "./compile/compactor.ts";
export type { ContextProcessor, ProcessorInput } from "./compile/context-processor.ts";
export type { CompileOptions, ContextCompilerOptions } from "./compile/compile-options.ts";
export { createContextCompiler, type ContextCompiler } from "./compile/create-context-compiler.ts";
export { createSummarizer, type SummarizerOptions } from "./compile/create-summarizer.ts";
export { createSessionMemory, type SessionMemoryOptions } from "./compile/create-session-memory.ts";
export { historySelector, type HistorySelectorOptions } from "./compile/history-selector.ts";
export { memoryPreloader, type MemoryPreloaderOptions } from "./compile/memory-preloader.ts";
export type { MemoryHit, MemoryService } from "./compile/memory-service.ts";
export {
  runCompiled,
  type RunCompiledOptions,
  type RunOutcome,
  type RunStep,
} from "./compile/run-compiled.ts";
export type {
  ArtifactRef,
  CompileTraceEntry,
  ContextEntry,
  Summarize,
  WorkingContext,
} from "./compile/working-context.ts";
export { ContextCompilerError, type ContextCompilerErrorCode } from "./context-compiler-error.ts";
export type { EvidencePack } from "./evidence/evidence-pack.ts";
export {
  sessionFromEvidencePack,
  type SessionFromEvidenceOptions,
} from "./evidence/session-from-evidence-pack.ts";
export { verifyEvidencePack } from "./evidence/verify-evidence-pack.ts";
export { findArtifact } from "./externalize/find-artifact.ts";
export { fitMessages } from "./fit/fit-messages.ts";
export type { CutOptions, FitOptions, FittedMessages, PinRule } from "./fit/fit-options.ts";
export type { FitState, FrozenCut } from "./fit/fit-state.ts";
export { createSession } from "./session/create-session.ts";
export { eventMessage } from "./session/event-message.ts";
export type { EventDraft, SessionEventInput } from "./session/event-input.ts";
export { openSession, type OpenSessionOptions } from "./session/open-session.ts";
export { parseSessionEvent } from "./session/parse-session-event.ts";
export { recordMessages } from "./session/record-messages.ts";
export {
  type EventBody,
  type SessionEvent,
  type SessionEventKind,
} from "./session/session-event.ts";
export { sessionMessages, type SessionMessage } from "./session/session-timeline.ts";
export type { RecordOptions } from "./session/event-log.ts";
export type { Session, SessionOptions } from "./session/session.ts";
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
export {
  createArtifactTools,
  type ArtifactTools,
  type ArtifactToolsOptions,
} from "./tool-interrupt/create-artifact-tools.ts";
export type { ReadArtifactInput } from "./tool-interrupt/read-artifact-tool.ts";
export type { SearchArtifactInput } from "./tool-interrupt/search-artifact-tool.ts";
