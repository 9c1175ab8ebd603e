import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";

import { redactSecrets, sha256Hex } from "@ccl/core";
import type { ContextPart, ContextRecord, ContextRecorder, PartContent } from "@ccl/core/tracing";

/** A line of the log. Contains only the parts that differ from the same writer's record `after`. */
export interface LoggedRecord extends ContextRecord {
  after?: string | undefined;
  /** Identifies the writer, because two writers may use the same ids. Absent in older logs. */
  by?: string | undefined;
  /** Number of leading parts that equal those of that record. */
  kept: number;
}

/** A recorder that writes to files. */
export interface ContextLog extends ContextRecorder {
  /** Waits for pending writes. Resolves to true if all of them succeeded. */
  close(): Promise<boolean>;
}

/**
 * Number of recent sessions whose lines contain only new parts. An older session starts again with
 * a whole record.
 */
const maxSessions = 200;

/**
 * Creates a recorder of prompts and their changes for `ccl ui`. Writes one file per session to the
 * folder. Stores sizes and hashes and, with `texts`, also the contents without secrets. Throws like
 * `mkdirSync`.
 */
export function recordTo(
  folder: string,
  { texts = false }: { texts?: boolean | undefined } = {},
): ContextLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const by = randomUUID().slice(0, 8);
  const last = new Map<string, ContextRecord>();
  let writing: Promise<unknown> = Promise.resolve();
  let isWhole = true;
  return {
    add(record) {
      const { session } = record;
      const line = { ...lineOf(record, { before: last.get(session), texts }), by };
      last.delete(session);
      last.set(session, record);
      const [oldest] = last.keys();
      if (last.size > maxSessions && oldest !== undefined) last.delete(oldest);
      const path = join(folder, `${fileNameOf(session)}.jsonl`);
      writing = writing
        .then(() => appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 }))
        .catch(() => {
          isWhole = false;
          // The next line must not refer to a line that is missing.
          last.delete(session);
        });
    },
    async close() {
      await writing;
      return isWhole;
    },
  };
}

/**
 * Returns a session's file name. Hashes names that are ambiguous on case-insensitive file systems
 * or that lead outside the folder.
 */
function fileNameOf(session: string): string {
  return /^[\da-z_-]{1,128}$/.test(session) ? session : sha256Hex(session);
}

function lineOf(
  record: ContextRecord,
  { before, texts }: { before: ContextRecord | undefined; texts: boolean },
): LoggedRecord {
  const known = before?.parts ?? [];
  const { parts } = record;
  const isOther = (part: ContextPart, at: number): boolean => !isSamePart(part, known[at]);
  const at = parts.findIndex(isOther);
  const kept = at < 0 ? parts.length : at;
  const stored = <Content extends PartContent>({ text, hash, ...rest }: Content) => ({
    ...rest,
    text: texts && text !== undefined ? redactSecrets(text).text : undefined,
    hash: hash ?? (text === undefined || text === "" ? undefined : sha256Hex(text)),
  });
  return {
    ...record,
    after: kept === 0 ? undefined : before?.id,
    kept,
    parts: parts.slice(kept).map((part) => ({
      ...stored(part),
      sent: part.sent && stored(part.sent),
    })),
  };
}

function isSamePart(part: ContextPart, known: ContextPart | undefined): boolean {
  return (
    part === known ||
    (known !== undefined &&
      isSameContent(part, known) &&
      part.kind === known.kind &&
      part.tool === known.tool &&
      part.callId === known.callId &&
      part.handle === known.handle &&
      part.sent?.form === known.sent?.form &&
      part.sent?.why === known.sent?.why &&
      isSameContent(part.sent, known.sent))
  );
}

function isSameContent(first: PartContent | undefined, second: PartContent | undefined): boolean {
  return (
    first?.tokens === second?.tokens && first?.text === second?.text && first?.hash === second?.hash
  );
}
