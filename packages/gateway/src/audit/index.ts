export {
  type AuditedKind,
  type AuditExample,
  type AuditOptions,
  auditTranscript,
  type CacheBreak,
  type CacheBreakCause,
  type SessionAudit,
} from "./audit-transcript.ts";
export { readTranscripts } from "./read-transcripts.ts";
export type { RecordedCall, Transcript, TranscriptClient } from "./transcript.ts";
