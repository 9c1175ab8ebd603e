import type { HistoryItem } from "../history/history-item.ts";
import type { ReportedInput } from "../history/read-request.ts";

/** The program that wrote a transcript. `messages` stands for messages as JSON. */
export type TranscriptClient = "claude-code" | "codex" | "opencode" | "messages";

/** A model call in a transcript. */
export interface RecordedCall {
  /** Number of items in its prompt. */
  end: number;
  atMs?: number | undefined;
  model?: string | undefined;
  usage?: ReportedInput | undefined;
}

/** One session, up to its end or to the point where its history was compacted. */
export interface Transcript {
  client: TranscriptClient;
  model: string | undefined;
  items: HistoryItem[];
  calls: RecordedCall[];
  /** True if this continues a session whose history the client compacted. */
  isAfterCompaction: boolean;
}

/** Creates an empty transcript. */
export function newTranscript(client: TranscriptClient, isAfterCompaction = false): Transcript {
  return { client, model: undefined, items: [], calls: [], isAfterCompaction };
}
