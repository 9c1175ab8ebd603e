import { constants, open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { syncFolder, type Durability } from "./durability.ts";
import { throwIfAborted } from "../async/abort.ts";
import { ioError, NodeIoError } from "./node-io-error.ts";

/** How `openAppendLog` opens and writes. */
export interface AppendLogOptions {
  /** `full` by default: every acknowledged line is on the disk. `normal` leaves that to the system until `close`. */
  durability?: Durability | undefined;
  signal?: AbortSignal | undefined;
}

/** A file of lines that only grows. One process at a time may have it open. */
export interface AppendLog {
  /** What the last, unfinished line held when the log was opened; it was cut off. Absent when the end was whole. */
  readonly tornTail?: { bytes: number } | undefined;
  /**
   * Adds lines in the order of the calls, all of one call or, after a crash, a beginning of them. Resolves when they are
   * as durable as the log promises; calls that wait at the same time share one write. A signal cancels only lines that
   * are still waiting.
   * @throws NodeIoError `invalid_line`, `log_closed`, `aborted`, or `write_failed`; after the last the log must be opened anew
   */
  append(
    lines: string | readonly string[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  /** The lines acknowledged so far, without their line feeds, read piece by piece. */
  read(options?: { signal?: AbortSignal | undefined }): AsyncIterable<string>;
  /** Waits for appends under way, then closes the file. Further calls do nothing. */
  close(): Promise<void>;
}

const blockBytes = 64 * 1024;

/**
 * Opens a log of lines such as JSON lines, and creates it where there is none. An unfinished last line, as a crash
 * leaves it, is cut off and reported. What a line holds, and any checksum in it, is the caller's business.
 * @throws NodeIoError `read_failed` or `aborted`
 */
export async function openAppendLog(
  path: string,
  options: AppendLogOptions = {},
): Promise<AppendLog> {
  const { durability = "full", signal } = options;
  throwIfAborted(signal, NodeIoError);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o666);
    if (durability === "full") await syncFolder(dirname(path));
    const { size } = await handle.stat();
    const sizeBytes = await wholeLinesEnd(handle, size);
    throwIfAborted(signal, NodeIoError);
    if (sizeBytes < size) await handle.truncate(sizeBytes);
    if (sizeBytes < size && durability !== "off") await handle.sync();
    const log = createAppendLog(handle, { path, durability, sizeBytes });
    return sizeBytes < size ? { tornTail: { bytes: size - sizeBytes }, ...log } : log;
  } catch (error) {
    await handle?.close();
    throw ioError("read_failed", `Could not open the log "${path}"`, error);
  }
}

/** The length of the file up to and with its last line feed, found from the end. */
async function wholeLinesEnd(handle: FileHandle, sizeBytes: number): Promise<number> {
  const block = Buffer.alloc(blockBytes);
  for (let end = sizeBytes; end > 0; end -= blockBytes) {
    const start = Math.max(0, end - blockBytes);
    const { bytesRead } = await handle.read(block, 0, end - start, start);
    const lineFeed = block.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (lineFeed >= 0) return start + lineFeed + 1;
  }
  return 0;
}

function createAppendLog(
  handle: FileHandle,
  { path, durability, sizeBytes }: { path: string; durability: Durability; sizeBytes: number },
): AppendLog {
  let committedBytes = sizeBytes;
  let waiting: { bytes: Buffer; signal: AbortSignal | undefined; isCancelled: boolean }[] = [];
  /** The write that has not begun yet, and the end of all writes so far. */
  let next: Promise<void> | undefined;
  let written: Promise<unknown> = Promise.resolve();
  let failure: NodeIoError | undefined;
  let closing: Promise<void> | undefined;

  const assertOpen = (): void => {
    if (closing !== undefined) throw new NodeIoError("log_closed", `The log "${path}" is closed.`);
  };

  const writeWaiting = async (): Promise<void> => {
    for (const entry of waiting) entry.isCancelled = entry.signal?.aborted === true;
    const bytes = Buffer.concat(
      waiting.filter((entry) => !entry.isCancelled).map((entry) => entry.bytes),
    );
    waiting = [];
    next = undefined;
    if (failure !== undefined) throw failure;
    try {
      for (let done = 0; done < bytes.length;) {
        done += (await handle.write(bytes, done, bytes.length - done, committedBytes + done))
          .bytesWritten;
      }
      if (durability === "full") await handle.datasync();
      committedBytes += bytes.length;
    } catch (error) {
      failure = ioError("write_failed", `Could not append to "${path}"`, error);
      // What was not acknowledged should not turn up later; if even this fails, opening the log reports it.
      await handle.truncate(committedBytes).catch(() => undefined);
      throw failure;
    }
  };

  return {
    async append(lines, { signal } = {}) {
      throwIfAborted(signal, NodeIoError);
      assertOpen();
      const list = typeof lines === "string" ? [lines] : lines;
      if (list.some((line) => line.includes("\n"))) {
        throw new NodeIoError(
          "invalid_line",
          `A line for "${path}" holds a line feed; escape it, as JSON does.`,
        );
      }
      const entry = {
        bytes: Buffer.from(list.map((line) => `${line}\n`).join("")),
        signal,
        isCancelled: false,
      };
      waiting.push(entry);
      next ??= written.then(writeWaiting);
      written = next.catch(() => undefined);
      await next;
      if (entry.isCancelled) throwIfAborted(signal, NodeIoError);
    },
    read({ signal } = {}) {
      assertOpen();
      return linesOf(handle, committedBytes, signal);
    },
    close() {
      closing ??= written.then(async () => {
        if (durability === "normal") await handle.sync();
        await handle.close();
      });
      return closing;
    },
  };
}

const rejectRead = (cause: unknown): Promise<never> =>
  Promise.reject(ioError("read_failed", "Could not read", cause));

async function* linesOf(
  handle: FileHandle,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): AsyncIterable<string> {
  const block = Buffer.alloc(blockBytes);
  const decoder = new StringDecoder("utf8");
  let begun = "";
  for (let at = 0; at < sizeBytes;) {
    throwIfAborted(signal, NodeIoError);
    const read = handle.read(block, 0, Math.min(blockBytes, sizeBytes - at), at);
    const { bytesRead } = await read.catch(rejectRead);
    if (bytesRead === 0) throw new NodeIoError("read_failed", "The log was cut by someone else.");
    at += bytesRead;
    const lines = decoder.write(block.subarray(0, bytesRead)).split("\n");
    lines[0] = begun + (lines[0] ?? "");
    begun = lines.pop() ?? "";
    yield* lines;
  }
}
