import { mkdirSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";

import { redactSecrets, sha256Hex } from "@ccl/core";
import type { ContextPart, ContextRecord, ContextRecorder, PartContent } from "@ccl/core/tracing";

/** A record as a line of a log: of its parts those that the record `after` does not have. */
export interface LoggedRecord extends ContextRecord {
  after?: string | undefined;
  /** How many parts are the first ones of that record. */
  kept: number;
}

/** Writes records into files. */
export interface ContextLog extends ContextRecorder {
  /** Waits for what is being written; whether all of it was. */
  close(): Promise<boolean>;
}

/** Of so many sessions the next line has only what is new; those of others begin anew. */
const maxSessions = 200;

/**
 * Records what was done to prompts, a file for each session in the folder, for `ccl ui` to show: sizes and hashes, with
 * `texts` what they say too, without secrets. Throws as `mkdirSync` does.
 */
export function recordTo(
  folder: string,
  { texts = false }: { texts?: boolean | undefined } = {},
): ContextLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const last = new Map<string, ContextRecord>();
  let writing: Promise<unknown> = Promise.resolve();
  let isWhole = true;
  return {
    add(record) {
      const { session } = record;
      const line = lineOf(record, { before: last.get(session), texts });
      last.delete(session);
      last.set(session, record);
      const [oldest] = last.keys();
      if (last.size > maxSessions && oldest !== undefined) last.delete(oldest);
      const path = join(folder, `${fileNameOf(session)}.jsonl`);
      writing = writing
        .then(() => appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 }))
        .catch(() => {
          isWhole = false;
          // What comes next would refer to a line that is missing.
          last.delete(session);
        });
    },
    async close() {
      await writing;
      return isWhole;
    },
  };
}

/** Names that are the same where letters have no case, or that lead elsewhere, are hashed. */
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

function isSameContent(one: PartContent | undefined, other: PartContent | undefined): boolean {
  return one?.tokens === other?.tokens && one?.text === other?.text && one?.hash === other?.hash;
}
