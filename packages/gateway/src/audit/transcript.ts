import type { HistoryItem } from "../history/history-item.ts";
import type { ReportedInput } from "../history/read-request.ts";

/** The program that wrote a transcript. `messages` for messages as JSON. */
export type TranscriptClient = "claude-code" | "codex" | "opencode" | "messages";

/** A model call of a transcript. */
export interface RecordedCall {
  /** How many items its prompt contained. */
  end: number;
  atMs?: number | undefined;
  model?: string | undefined;
  usage?: ReportedInput | undefined;
}

/** One session, up to the point where its history was compacted, or to its end. */
export interface Transcript {
  client: TranscriptClient;
  model: string | undefined;
  items: HistoryItem[];
  calls: RecordedCall[];
  /** True if it continues a session whose history the client compacted. */
  isAfterCompaction: boolean;
}

/** Creates an empty transcript. */
export function newTranscript(client: TranscriptClient, isAfterCompaction = false): Transcript {
  return { client, model: undefined, items: [], calls: [], isAfterCompaction };
}
