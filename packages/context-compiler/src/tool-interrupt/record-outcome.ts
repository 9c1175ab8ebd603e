import type { ArtifactStore } from "@ccl/artifact-store";
import { truncateMiddle, type Part, type ToolCall } from "@ccl/core";
import type { Session } from "../session/session.ts";
import type { ToolOutcomeEvent } from "./tool-event.ts";

/** How a call ended. */
export type Outcome =
  | {
      kind: "tool_success";
      content: string | Part[];
      mimeType?: string | undefined;
      isArtifactRead: boolean;
    }
  | { kind: "tool_error"; content: string | Part[]; isAborted?: boolean | undefined }
  | { kind: "tool_timeout"; timeoutMs: number };

interface RecordContext {
  call: ToolCall;
  session: Session;
  /** Used in place of the session's own store. */
  artifactStore: ArtifactStore | undefined;
  durationMs: number;
  isLate: boolean;
}

const longestError = 4_000;

/** Records the single outcome of a call, or a late result. */
export function recordOutcome(
  outcome: Outcome,
  { call, session, artifactStore, durationMs, isLate }: RecordContext,
): Promise<ToolOutcomeEvent> {
  const data = { callId: call.id, name: call.name, durationMs, isLate: isLate || undefined };
  if (outcome.kind === "tool_timeout") {
    return session.record("tool_timeout", { ...data, timeoutMs: outcome.timeoutMs });
  }
  if (outcome.kind === "tool_error") {
    return session.record(
      "tool_error",
      { ...data, content: bounded(outcome.content) },
      { artifactStore },
    );
  }
  const { content, mimeType, isArtifactRead } = outcome;
  const details = {
    mimeType,
    isArtifactRead: isArtifactRead || undefined,
  };
  return session.record("tool_success", { ...data, ...details, content }, { artifactStore });
}

/** Keeps the first and last lines, which usually contain the error. */
function bounded(content: string | Part[]): string | Part[] {
  return typeof content === "string"
    ? truncateMiddle(content, { maxChars: longestError }).text
    : content;
}
