import { canonicalJson, sha256Hex, type Issue } from "@ccl/core";
import type { EventContent, SessionEvent, SessionEventKind } from "../event/session-event.ts";

/** Proves one event without containing it. */
export interface EvidenceEntry {
  eventId: string;
  kind: SessionEventKind;
  /** Milliseconds since the epoch. */
  timestamp: number;
  /** At most 200 characters. */
  summary: string;
  /** Id of the first artifact in the event. */
  artifactId?: string | undefined;
  /** SHA-256 of the event as canonical JSON. */
  sha256: string;
}

/** Proves a session. Contains an entry for each event, oldest first. */
export interface EvidencePack {
  sessionId: string;
  entries: EvidenceEntry[];
  /** SHA-256 of `sessionId` and `entries` as canonical JSON. */
  sha256: string;
}

const summaryChars = 200;

/** Creates the entry for an event. */
export function evidenceEntry(event: SessionEvent): EvidenceEntry {
  const { eventId, kind, timestamp } = event;
  const artifactId = artifactIdOf(event);
  return {
    eventId,
    kind,
    timestamp,
    summary: toSummary(summaryOf(event)),
    artifactId,
    sha256: sha256Hex(canonicalJson(event)),
  };
}

/** Seals entries with a single hash. */
export function sealEvidence(sessionId: string, entries: EvidenceEntry[]): EvidencePack {
  return { sessionId, entries, sha256: sha256Hex(canonicalJson({ sessionId, entries })) };
}

/**
 * Lists all mismatches: of the pack's own hash and, if events are passed, of each event that
 * differs from its entry.
 */
export function evidenceIssues(pack: EvidencePack, events?: readonly SessionEvent[]): Issue[] {
  const issues: Issue[] = [];
  const report = (path: Issue["path"], message: string): void => {
    issues.push({ code: "evidence_invalid", path, message });
  };
  const { sessionId, entries } = pack;
  if (sealEvidence(sessionId, entries).sha256 !== pack.sha256) {
    report(["sha256"], "The entries do not have the hash that the pack names.");
  }
  if (events === undefined) return issues;
  if (events.length !== entries.length) {
    report(["entries"], `The pack proves ${entries.length} events; there are ${events.length}.`);
  }
  for (const [index, event] of events.slice(0, entries.length).entries()) {
    if (canonicalJson(evidenceEntry(event)) !== canonicalJson(entries[index])) {
      report(["entries", index], "The event is not the one that was proved.");
    }
  }
  return issues;
}

function artifactIdOf(event: SessionEvent): string | undefined {
  if (event.kind === "artifact_stored") return event.data.artifactId;
  if (!("content" in event.data) || typeof event.data.content !== "object") return undefined;
  return event.data.content.find((part) => part.type === "artifact")?.artifactId;
}

function summaryOf(event: SessionEvent): string {
  switch (event.kind) {
    case "user_input":
    case "tool_success":
    case "tool_error":
      return contentSummary(event.data.content);
    case "assistant_message": {
      const calls = (event.data.toolCalls ?? []).map((call) => `${call.name}(${call.arguments})`);
      return [contentSummary(event.data.content), ...calls].filter((text) => text !== "").join(" ");
    }
    case "tool_call":
      return `${event.data.name}(${event.data.arguments})`;
    case "tool_timeout":
      return `no answer within ${event.data.timeoutMs} ms`;
    case "memory_hit":
      return event.data.text;
    case "guard_decision":
      return [`${event.data.guard}: ${event.data.decision}`, event.data.reason ?? ""]
        .join(" ")
        .trim();
    case "phase_result":
      return [event.data.phase, event.data.status ?? "", event.data.summary?.text ?? ""]
        .join(" ")
        .trim();
    case "artifact_stored":
      return event.data.summary;
    default:
      return event satisfies never;
  }
}

function contentSummary(content: EventContent): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (part.type === "artifact") return part.summary;
      if (part.type === "provider") return `[part of ${part.provider}]`;
      return part.type === "text" || part.type === "reasoning" ? part.text : `[${part.mimeType}]`;
    })
    .join(" ");
}

function toSummary(text: string): string {
  if (text.length <= summaryChars) return text;
  return `${text.slice(0, summaryChars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
