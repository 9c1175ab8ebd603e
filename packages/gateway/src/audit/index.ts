export {
  type AuditedKind,
  type AuditExample,
  auditTranscript,
  reportedUsd,
  type SessionAudit,
} from "./audit-transcript.ts";
export { readTranscripts, type ReadTranscripts } from "./read-transcripts.ts";
export type { RecordedCall, Transcript } from "./transcript.ts";
export { type AuditReport, sumAudits } from "./sum-audits.ts";
