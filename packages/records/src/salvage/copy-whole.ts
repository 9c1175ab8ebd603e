import type { KeyValue } from "../key-value/key-value.ts";
import { createRecords } from "../records/create-records.ts";
import { readRange } from "../records/read-range.ts";
import type { Records } from "../records/records.ts";
import { keyAfter, parseKey, rangeOf, type StoredKind } from "../records/stored-key.ts";
import { noSum, sumOf, unsealed } from "../records/stored-text.ts";
import { RecordsError } from "../records-error.ts";

/** What was copied and what was lost. */
export interface SalvageReport {
  records: number;
  entries: number;
  /** One sentence per damaged or missing place. If empty, the store is intact. */
  lost: string[];
}

const entriesAtOnce = 500;

/**
 * Copies everything intact to an empty database. Entries after a gap move up, so that the copied log has none.
 * @throws RecordsError `invalid_options` if the target is not empty
 */
export async function copyWhole(
  source: KeyValue,
  target: KeyValue,
  lost: string[],
): Promise<SalvageReport> {
  if ((await target.list({ from: "", before: "\u007f", limit: 1 })).length > 0)
    throw new RecordsError("invalid_options", "Salvage into a place that is empty.");
  const report: SalvageReport = { records: 0, entries: 0, lost };
  for (const kind of ["record", "lease"] as const) {
    for await (const entries of pagesOf(source, kind)) {
      const whole = entries.filter(([key, text]) => unsealed(key, text) !== undefined);
      for (const [key] of entries.filter((entry) => !whole.includes(entry)))
        lost.push(`${nameOf(key)} is not what was written.`);
      if (kind === "record") report.records += whole.length;
      await target.commit({ checks: [], writes: whole });
    }
  }
  const versions = await versionsOf(source, lost);
  const copied = new LogCopies(createRecords(target), versions, lost);
  for await (const entries of pagesOf(source, "entry")) await copied.add(entries);
  report.entries = await copied.end();
  return report;
}

async function* pagesOf(
  source: KeyValue,
  kind: StoredKind,
): AsyncGenerator<(readonly [key: string, text: string])[]> {
  const { from: first, before } = rangeOf(kind, {});
  for (let from = first; ;) {
    const page = await readRange(source, { from, before, limit: entriesAtOnce });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    from = keyAfter(last[0]);
  }
}

/** Returns the number of entries of each log. Undefined if its head is damaged. */
async function versionsOf(
  source: KeyValue,
  lost: string[],
): Promise<Map<string, number | undefined>> {
  const versions = new Map<string, number | undefined>();
  for await (const heads of pagesOf(source, "log")) {
    for (const [key, text] of heads) {
      const version = unsealed(key, text)?.[0];
      const name = parseKey(key)?.name;
      if (version === undefined) lost.push(`The head of ${nameOf(key)} is not what was written.`);
      if (name !== undefined)
        versions.set(name, version === undefined ? undefined : Number(version));
    }
  }
  return versions;
}

function nameOf(key: string): string {
  const parsed = parseKey(key);
  if (parsed === undefined) return `The key ${JSON.stringify(key)}`;
  const { kind, name, position } = parsed;
  return kind === "entry" ? `Entry ${position} of the log "${name}"` : `The ${kind} "${name}"`;
}

/** Rewrites logs, one after the other. */
class LogCopies {
  readonly #target: Records;
  /** Logs whose entries have not been copied yet. */
  readonly #versions: Map<string, number | undefined>;
  readonly #lost: string[];
  #log:
    | {
        name: string;
        version: number | undefined;
        next: number;
        lastRead: string;
      }
    | undefined;
  #entries: unknown[] = [];
  #total = 0;

  constructor(target: Records, versions: Map<string, number | undefined>, lost: string[]) {
    this.#target = target;
    this.#versions = versions;
    this.#lost = lost;
  }

  async add(entries: readonly (readonly [key: string, text: string])[]): Promise<void> {
    for (const [key, text] of entries) {
      const { name, position } = parseKey(key) ?? { name: "", position: 0 };
      const [sumBefore, json] = unsealed(key, text) ?? [];
      if (json === undefined) continue;
      if (this.#log?.name !== name) await this.#begin(name);
      const log = this.#log;
      if (log === undefined) continue;
      if (position >= (log.version ?? Infinity)) {
        // Remains of a removal do not follow the previous entry.
        if (sumBefore !== log.lastRead) continue;
        this.#lost.push(`The head of the log "${name}" is older than entry ${position}.`);
        log.version = position + 1;
      }
      log.lastRead = sumOf(text);
      this.#reportGap(log, position);
      log.next = position + 1;
      this.#entries.push(JSON.parse(json));
    }
    await this.#flush();
  }

  /** Finishes copying. Returns the number of entries. */
  async end(): Promise<number> {
    await this.#finish();
    for (const [name, version = 0] of this.#versions)
      if (version > 0) this.#lost.push(`All ${version} entries of the log "${name}" are missing.`);
    return this.#total;
  }

  async #begin(name: string): Promise<void> {
    await this.#finish();
    if (!this.#versions.has(name)) this.#lost.push(`The head of the log "${name}" is missing.`);
    this.#log = {
      name,
      version: this.#versions.get(name),
      next: 0,
      lastRead: noSum,
    };
    this.#versions.delete(name);
  }

  async #finish(): Promise<void> {
    const log = this.#log;
    if (log === undefined) return;
    this.#reportGap(log, log.version ?? log.next);
    await this.#flush();
    this.#log = undefined;
  }

  #reportGap({ name, next }: { name: string; next: number }, position: number): void {
    if (position > next)
      this.#lost.push(
        `Entries ${next} to ${position - 1} of the log "${name}" are missing, or were changed.`,
      );
  }

  async #flush(): Promise<void> {
    const entries = this.#entries;
    if (this.#log === undefined || entries.length === 0) return;
    await this.#target.write([{ append: this.#log.name, entries }]);
    this.#total += entries.length;
    this.#entries = [];
  }
}
