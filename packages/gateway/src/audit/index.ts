export {
  type AuditedKind,
  type AuditExample,
  auditTranscript,
  type SessionAudit,
} from "./audit-transcript.ts";
export { readTranscripts } from "./read-transcripts.ts";
export type { RecordedCall, Transcript } from "./transcript.ts";
