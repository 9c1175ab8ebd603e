export { artifactAttacher } from "./compile/artifact-attacher.ts";
export { compactor } from "./compile/compactor.ts";
export type { ContextProcessor, ProcessorInput } from "./compile/context-processor.ts";
export type { CompileOptions, ContextCompilerOptions } from "./compile/compile-options.ts";
export { createContextCompiler, type ContextCompiler } from "./compile/create-context-compiler.ts";
export { createSummarizer } from "./compile/create-summarizer.ts";
export { createSessionMemory } from "./compile/create-session-memory.ts";
export { historySelector } from "./compile/history-selector.ts";
export { memoryPreloader } from "./compile/memory-preloader.ts";
export type { MemoryHit, MemoryService } from "./compile/memory-service.ts";
export { runCompiled, type RunStep } from "./compile/run-compiled.ts";
export type { WorkingContext } from "./compile/working-context.ts";
export { ContextCompilerError } from "./context-compiler-error.ts";
export type { EvidencePack } from "./evidence/evidence-pack.ts";
export { sessionFromEvidencePack } from "./session/session-from-evidence-pack.ts";
export { verifyEvidencePack } from "./evidence/verify-evidence-pack.ts";
export { contextRecordOf } from "./fit/context-record-of.ts";
export { fitMessages } from "./fit/fit-messages.ts";
export type { FitState } from "./fit/fit-state.ts";
export { reportedRatio } from "./fit/safety-margin.ts";
export { handOff } from "./handoff/hand-off.ts";
export { createSession } from "./session/create-session.ts";
export { eventMessage } from "./session/event-message.ts";
export type { SessionEventInput } from "./session/event-input.ts";
export { openSession } from "./session/open-session.ts";
export { recordMessages } from "./session/record-messages.ts";
export type { SessionEvent } from "./event/session-event.ts";
export { type SessionMessage } from "./session/session-timeline.ts";
export type { Session, SessionOptions } from "./session/session.ts";
export {
  createMemorySessionStore,
  createSessionStore,
} from "./session-store/create-session-store.ts";
export type {
  AppendOptions,
  EventPage,
  ListSessionsOptions,
  ReadOptions,
  SessionPage,
  SessionStore,
  StateEntry,
} from "./session-store/session-store.ts";
export { createArtifactTools, type ArtifactTools } from "./tool-interrupt/create-artifact-tools.ts";
