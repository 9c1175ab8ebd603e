import { constants, mkdir, open, readFile, rename, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { TurnQueue } from "@ccl/core/async";
import {
  type Durability,
  syncFolder,
  unless,
  withFileLock,
  writeFileDurable,
} from "@ccl/core/node";
import { acceptCommits } from "../key-value/accept-commits.ts";
import { groupCalls } from "../key-value/group-calls.ts";
import type { KeyRange, KeyValue, KeyValueCommit } from "../key-value/key-value.ts";
import { damagedError } from "../records/stored-text.ts";
import { RecordsError } from "../records-error.ts";
import { RecordIndex, type Place } from "./record-index.ts";
import { checksumOf, headerLine, linesOf } from "./record-lines.ts";

/** How a folder is opened. */
interface FolderOptions {
  durability: Durability;
  /** Receives descriptions of damage. If given, the folder is read-only. */
  damage?: string[] | undefined;
}

const smallFileBytes = 4 * 1024 * 1024;
const textsAtOnce = 500;

/** Keeps keys and texts in one growing file. Rewrites it once more than half of it is outdated. */
export async function openFolderKeyValue(
  folder: string,
  options: FolderOptions,
): Promise<FolderKeyValue> {
  const database = new FolderKeyValue(folder, options);
  if (options.damage === undefined) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await database.create();
  }
  await database.get([]);
  return database;
}

/** Key-value store in a folder. Any number of processes may open it. A lock serialises their steps. */
class FolderKeyValue implements KeyValue {
  readonly #path: string;
  readonly #endPath: string;
  readonly #lockPath: string;
  readonly #options: FolderOptions;
  readonly #turns: TurnQueue = new TurnQueue(RecordsError);
  #file: { handle: FileHandle; inode: number } | undefined;
  #index: RecordIndex;

  constructor(folder: string, options: FolderOptions) {
    this.#path = join(folder, "records.log");
    this.#endPath = join(folder, "records.end");
    this.#lockPath = join(folder, "records.lock");
    this.#options = options;
    this.#index = new RecordIndex(this.#path);
  }

  create(): Promise<void> {
    return withFileLock(this.#lockPath, {}, async () => {
      if (await unless(["ENOENT"], stat(this.#path), undefined)) return;
      if ((await this.#lastNumber()) > 0)
        throw damagedError(`The file "${this.#path}" is gone.`, { path: this.#path });
      await writeFileDurable(this.#path, headerLine(1), { ...this.#options, mode: 0o600 });
    });
  }

  get: KeyValue["get"] = (keys) =>
    this.#turns.run(async () => {
      const handle = await this.#refresh();
      const places = keys.map((key) => this.#index.places.get(key));
      return readTexts(handle, places);
    });

  list = (range: KeyRange): Promise<[key: string, text: string][]> =>
    this.#turns.run(async () => {
      const handle = await this.#refresh();
      // Entries omitted here are on the next page.
      const found = this.#index.places.list({ ...range, limit: Math.min(range.limit, 10_000) });
      const texts = await readTexts(
        handle,
        found.map(([, place]) => place),
      );
      return found.map(([key], at) => [key, texts[at] ?? ""]);
    });

  commit: KeyValue["commit"] = groupCalls((commits: readonly KeyValueCommit[]) =>
    this.#turns.run(() => withFileLock(this.#lockPath, {}, () => this.#write(commits))),
  );

  close(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#file?.handle.close();
      this.#file = undefined;
    });
  }

  async #write(commits: readonly KeyValueCommit[]): Promise<boolean[]> {
    const handle = await this.#refresh();
    const keys = [...new Set(commits.flatMap(({ checks }) => checks.map(([key]) => key)))];
    const places = keys.map((key) => this.#index.places.get(key));
    const texts = await readTexts(handle, places);
    const outcomes = acceptCommits(commits, new Map(keys.map((key, at) => [key, texts[at]])));
    let number = this.#index.nextNumber;
    const steps = commits.flatMap(({ writes }, at) => {
      if (outcomes[at] !== true) return [];
      number += writes.length;
      return linesOf(writes, number - writes.length);
    });
    if (steps.length > 0) await this.#append(handle, steps.join(""));
    const { wholeBytes, liveBytes } = this.#index;
    if (wholeBytes > smallFileBytes && wholeBytes > 2 * liveBytes) await this.#compact(handle);
    return outcomes;
  }

  async #append(handle: FileHandle, lines: string): Promise<void> {
    const { wholeBytes, tornBytes } = this.#index;
    if (tornBytes > 0) await handle.truncate(wholeBytes);
    const bytes = Buffer.from(lines);
    try {
      for (let done = 0; done < bytes.length;) {
        const at = wholeBytes + done;
        done += (await handle.write(bytes, done, bytes.length - done, at)).bytesWritten;
      }
      if (this.#options.durability === "full") await handle.datasync();
    } catch (error) {
      // A failed step must not reappear later.
      await handle.truncate(wholeBytes).catch(() => undefined);
      throw error;
    }
    await this.#index.readFrom(handle, wholeBytes + bytes.length);
    // The step counts even if this fails.
    await this.#writeEnd().catch(() => undefined);
  }

  /** Updates the index with the writes of other processes. */
  async #refresh(): Promise<FileHandle> {
    const { ino, size } = await stat(this.#path);
    let file = this.#file;
    if (file?.inode !== ino || size < this.#index.wholeBytes) {
      // Read before the size, because a writer appends lines before it moves the end.
      const last = await this.#lastNumber();
      await file?.handle.close();
      const isReadOnly = this.#options.damage !== undefined;
      const handle = await open(this.#path, isReadOnly ? "r" : "r+");
      const found = await handle.stat();
      file = { handle, inode: found.ino };
      this.#file = file;
      this.#index = new RecordIndex(this.#path, this.#options.damage);
      await this.#index.readFrom(handle, found.size);
      if (found.size === 0 || this.#index.nextNumber <= last) this.#report(last);
    } else if (size > this.#index.wholeBytes) await this.#index.readFrom(file.handle, size);
    return file.handle;
  }

  #report(last: number): void {
    const { nextNumber, damage } = this.#index;
    const problem = `"${this.#path}" ends before number ${nextNumber}, but ${last} was written.`;
    if (damage === undefined) throw damagedError(problem, { path: this.#path });
    if (!damage.includes(problem)) damage.push(problem);
  }

  /** Returns the number of the last line known to be on disk. A file that ends earlier was truncated. */
  async #lastNumber(): Promise<number> {
    const text = await unless(["ENOENT"], readFile(this.#endPath, "latin1"), "");
    const [number = "", sum] = text.split(" ");
    return checksumOf(number) === sum ? Number(number) : 0;
  }

  async #writeEnd(): Promise<void> {
    const number = String(this.#index.nextNumber - 1).padStart(15, "0");
    const end = await open(this.#endPath, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      await end.write(Buffer.from(`${number} ${checksumOf(number)}`), 0, undefined, 0);
    } finally {
      await end.close();
    }
  }

  async #compact(handle: FileHandle): Promise<void> {
    const temporary = `${this.#path}.tmp`;
    const target = await open(temporary, "w", 0o600);
    try {
      let number = this.#index.nextNumber;
      await target.write(headerLine(number));
      const range = { before: "\u007f", limit: textsAtOnce };
      for (let from = ""; ;) {
        const found = this.#index.places.list({ ...range, from });
        if (found.length === 0) break;
        const texts = await readTexts(
          handle,
          found.map(([, place]) => place),
        );
        const lines = found.flatMap(([key], at) => linesOf([[key, texts[at]]], number + at));
        await target.write(lines.join(""));
        number += found.length;
        from = `${found.at(-1)?.[0]} `;
      }
      await target.sync();
    } finally {
      await target.close();
    }
    await rename(temporary, this.#path);
    await syncFolder(join(this.#path, ".."));
    await this.#refresh();
  }
}

/** Texts closer together than this are read with one call. */
const nearBytes = 16 * 1024;
const readBytes = 4 * 1024 * 1024;

/** Returns the texts at these places, in the same order. */
async function readTexts(
  file: FileHandle,
  places: readonly (Place | undefined)[],
): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = places.map(() => undefined);
  const sorted = places
    .flatMap((place, index) => (place === undefined ? [] : [{ ...place, index }]))
    .sort((first, second) => first.offset - second.offset);
  for (let first = 0; first < sorted.length;) {
    const start = sorted[first]?.offset ?? 0;
    let end = start;
    let next = first;
    for (let at = sorted[next]; at !== undefined; at = sorted[(next += 1)]) {
      const isNear = at.offset <= end + nearBytes && at.offset + at.bytes <= start + readBytes;
      if (next > first && !isNear) break;
      end = at.offset + at.bytes;
    }
    const bytes = Buffer.alloc(end - start);
    await file.read(bytes, 0, bytes.length, start);
    for (const { offset, bytes: length, index } of sorted.slice(first, next))
      texts[index] = bytes.toString("utf8", offset - start, offset - start + length);
    first = next;
  }
  return texts;
}
