import { open } from "node:fs/promises";
import { canonicalJson, sha256Hex } from "@ccl/core";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { parseSessionEvent } from "../session/parse-session-event.ts";
import type { SessionEvent } from "../session/session-event.ts";

/** Where the reading of a log stands: after so many events, at that byte, with that hash over all before. */
export interface LogPosition {
  version: number;
  offsetBytes: number;
  /** 32 hex digits. */
  chain: string;
}

/** Events of a log and where they end. */
export interface LogRange {
  events: SessionEvent[];
  end: LogPosition;
  hasMore: boolean;
  /** Bytes of an unfinished line at the end of the file. */
  tornBytes: number;
}

const blockBytes = 256 * 1024;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const lineShape = /^\{"chain":"([0-9a-f]{32})","event":(.*)\}$/s;

/** The first line of a log. */
export function headerLine(sessionId: string): string {
  return canonicalJson({ format: "ccl-session-log", formatVersion: 1, sessionId });
}

/** The hash that a log with this header begins with. */
export function firstChain(sessionId: string): string {
  return sha256Hex(headerLine(sessionId)).slice(0, 32);
}

/** An event as a line; its hash covers all lines before, so that one that is changed, missing or moved is noticed. */
export function eventLine(
  event: SessionEvent,
  chainBefore: string,
): { line: string; chain: string } {
  const json = canonicalJson(event);
  const chain = chainOf(json, chainBefore);
  return { line: `{"chain":"${chain}","event":${json}}`, chain };
}

/**
 * Up to `limit` events from a position on, or from the start; undefined where there is no file, or no whole line in it.
 * @throws ContextCompilerError `store_damaged`
 */
export async function readSessionLog(
  path: string,
  sessionId: string,
  options: {
    from?: LogPosition | undefined;
    limit?: number | undefined;
    signal?: AbortSignal | undefined;
  } = {},
): Promise<LogRange | undefined> {
  const { from, limit = Infinity, signal } = options;
  const events: SessionEvent[] = [];
  let end = from;
  let tornBytes = 0;
  for await (const { text, endBytes, isWhole } of linesOf(path, from?.offsetBytes ?? 0, signal)) {
    if (!isWhole) {
      tornBytes = text.length;
    } else if (end === undefined) {
      if (text.toString() !== headerLine(sessionId))
        throw damagedLine(path, 1, "is not the header of this session");
      end = { version: 0, offsetBytes: endBytes, chain: firstChain(sessionId) };
    } else if (events.length === limit) {
      return { events, end, hasMore: true, tornBytes: 0 };
    } else {
      const read = readLine(text.toString(), end.chain);
      if (typeof read === "string") throw damagedLine(path, end.version + 2, read);
      events.push(read.event);
      end = { version: end.version + 1, offsetBytes: endBytes, chain: read.chain };
    }
  }
  if (end !== undefined) return { events, end, hasMore: false, tornBytes };
  const nothing = { version: 0, offsetBytes: 0, chain: firstChain(sessionId) };
  return tornBytes === 0 ? undefined : { events, end: nothing, hasMore: false, tornBytes };
}

/** The session that a log belongs to; undefined where its first line is no header. */
export async function sessionOfLog(path: string): Promise<string | undefined> {
  for await (const { text } of linesOf(path, 0, undefined)) {
    const id = /^\{"format":"ccl-session-log","formatVersion":1,"sessionId":(".*")\}$/.exec(
      text.toString(),
    )?.[1];
    const parsed: unknown = id === undefined ? undefined : JSON.parse(id);
    return typeof parsed === "string" ? parsed : undefined;
  }
  return undefined;
}

function chainOf(json: string, chainBefore: string): string {
  return sha256Hex(chainBefore + json).slice(0, 32);
}

function readLine(
  line: string,
  chainBefore: string,
): { event: SessionEvent; chain: string } | string {
  const [, chain = "", json = ""] = lineShape.exec(line) ?? [];
  if (json === "") return "is no record of an event";
  if (chain !== chainOf(json, chainBefore))
    return "does not have its hash: it, or a line before it, was changed";
  const parsed = parseSessionEvent(JSON.parse(json));
  return parsed.ok
    ? { event: parsed.value, chain }
    : `holds no event: ${parsed.issues[0]?.message ?? ""}`;
}

function damagedLine(path: string, line: number, problem: string): ContextCompilerError {
  return new ContextCompilerError("store_damaged", `Line ${line} of "${path}" ${problem}.`, {
    details: { path, line },
  });
}

interface Line {
  text: Buffer;
  /** After its line feed. */
  endBytes: number;
  isWhole: boolean;
}

/** A line without what editors and version control add: a byte order mark, a carriage return, blanks on an empty line. */
function withoutEditorBytes(line: Buffer, isFirst: boolean): Buffer {
  const start = isFirst && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const text = line.subarray(start, line.at(-1) === 0x0d ? -1 : undefined);
  return text.every((byte) => byte === 0x20 || byte === 0x09) ? Buffer.alloc(0) : text;
}

/** The lines that are not blank. */
async function* linesOf(
  path: string,
  startBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Line> {
  let isFirst = startBytes === 0;
  for await (const line of storedLinesOf(path, startBytes, signal)) {
    const text = line.isWhole ? withoutEditorBytes(line.text, isFirst) : line.text;
    isFirst = false;
    if (text.length > 0) yield { ...line, text };
  }
}

async function* storedLinesOf(
  path: string,
  startBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Line> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return;
  try {
    const pieces: Buffer[] = [];
    let at = startBytes;
    for (;;) {
      signal?.throwIfAborted();
      const block = Buffer.allocUnsafe(blockBytes);
      const { bytesRead } = await file.read(block, 0, blockBytes, at);
      if (bytesRead === 0) break;
      const read = block.subarray(0, bytesRead);
      let start = 0;
      for (let end = read.indexOf(0x0a); end >= 0; end = read.indexOf(0x0a, start)) {
        pieces.push(read.subarray(start, end));
        start = end + 1;
        yield { text: Buffer.concat(pieces.splice(0)), endBytes: at + start, isWhole: true };
      }
      if (start < bytesRead) pieces.push(read.subarray(start));
      at += bytesRead;
    }
    if (pieces.length > 0) yield { text: Buffer.concat(pieces), endBytes: at, isWhole: false };
  } finally {
    await file.close();
  }
}
