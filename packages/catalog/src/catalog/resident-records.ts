import { compareCodeUnits } from "@ccl/core";
import type { Records } from "@ccl/records";
import type { AccessOptions } from "../access/access-options.ts";
import { indexVariants, variantIdsOf } from "../access/search-variants.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import type { SearchDocument, SearchIndex } from "../search/search-index.ts";
import { guarded } from "../search/guarded.ts";
import { listResources, readResources } from "../store/list-resources.ts";
import { changesLog } from "../store/stored-names.ts";
import { embeddingText } from "./embedding-text.ts";
import type { VectorSource } from "./vector-source.ts";

/** Options of `ResidentRecords`. */
export interface ResidentOptions {
  records: Records;
  index: SearchIndex;
  vectors: VectorSource | undefined;
  access: AccessOptions | undefined;
}

/**
 * Keeps resources in memory and their index up to date. Reads the log of changes before answering each call, so
 * writes by every process are visible.
 */
export class ResidentRecords {
  readonly #options: ResidentOptions;
  readonly #records = new Map<string, ResourceRecord>();
  /** Index entries without a vector. */
  readonly #pending = new Map<string, ResourceRecord>();
  #sortedIds: readonly string[] | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #isLoaded = false;
  /** Position in the log up to which all changes have been applied. */
  version = 0;

  constructor(options: ResidentOptions) {
    this.#options = options;
  }

  get(id: string): ResourceRecord | undefined {
    return this.#records.get(id);
  }

  /** Sorted by code units. */
  ids(): readonly string[] {
    this.#sortedIds ??= [...this.#records.keys()].sort(compareCodeUnits);
    return this.#sortedIds;
  }

  /** Runs actions one at a time, so that none sees a partially applied write. */
  async exclusively<Value>(action: () => Promise<Value>): Promise<Value> {
    const turn = this.#queue.then(action);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Applies the changes since the last call. */
  async follow(signal?: AbortSignal): Promise<void> {
    await this.exclusively(() => this.followNow(signal));
  }

  /** Like `follow`, for a caller already inside `exclusively`. */
  async followNow(signal?: AbortSignal): Promise<void> {
    const { records } = this.#options;
    if (!this.#isLoaded) {
      // Changes written during the read are in the log after this version.
      const from = Number.MAX_SAFE_INTEGER;
      const { version } = await records.readLog(changesLog, { from, signal });
      await this.#takeIn(await listResources(records, { signal }), signal);
      this.version = version;
      this.#isLoaded = true;
    }
    for (;;) {
      const from = this.version;
      const { entries, version } = await records.readLog(changesLog, { from, signal });
      if (entries.length > 0) await this.#takeInIds([...new Set(entries.map(String))], signal);
      this.version += entries.length;
      if (this.version >= version) break;
    }
  }

  /** Embeds resources without a vector. Returns the reason if some still lack one, otherwise undefined. */
  async fillVectors(signal?: AbortSignal): Promise<string | undefined> {
    const { vectors } = this.#options;
    if (vectors === undefined || this.#pending.size === 0) return undefined;
    const records = [...this.#pending.values()];
    for (let start = 0; start < records.length; start += 64) {
      const batch = records.slice(start, start + 64);
      const call = { signal };
      const { vectors: found, failure } = await vectors.embed(batch.map(embeddingText), call);
      await this.exclusively(() => this.#putVectors(batch, found, signal));
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  async #putVectors(
    batch: readonly ResourceRecord[],
    found: ReadonlyMap<string, Float32Array>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // A record written in the meantime has a new entry.
    const current = batch.filter((record) => this.#pending.get(record.id) === record);
    const documents = current.flatMap((record): SearchDocument[] => {
      const vector = found.get(embeddingText(record));
      return vector === undefined ? [] : [{ record, vector }];
    });
    if (documents.length === 0) return;
    await guarded(() => this.#options.index.put(documents, { signal }));
    for (const { record } of documents) this.#pending.delete(record.id);
  }

  async #takeInIds(ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { records, index } = this.#options;
    const found = await readResources(records, ids, signal);
    await this.#takeIn(found, signal);
    const there = new Set(found.map(({ id }) => id));
    const missing = ids.filter((id) => !there.has(id));
    if (missing.length > 0)
      await guarded(() => index.remove(missing.flatMap(variantIdsOf), { signal }));
    for (const id of missing) this.#forget(id);
  }

  async #takeIn(
    resources: readonly ResourceRecord[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { index, access, vectors } = this.#options;
    const entries = resources.flatMap((record) => indexVariants(record, access));
    const known =
      vectors === undefined
        ? undefined
        : (await vectors.load(entries.map(embeddingText), signal)).vectors;
    const documents = entries.map((record): SearchDocument => {
      const vector = known?.get(embeddingText(record));
      return vector === undefined ? { record } : { record, vector };
    });
    if (documents.length > 0) await guarded(() => index.put(documents, { signal }));
    for (const record of resources) this.#records.set(record.id, record);
    for (const { record, vector } of documents) {
      if (vectors !== undefined && vector === undefined) this.#pending.set(record.id, record);
      else this.#pending.delete(record.id);
    }
    this.#sortedIds = undefined;
  }

  #forget(id: string): void {
    this.#records.delete(id);
    this.#sortedIds = undefined;
    for (const variant of variantIdsOf(id)) this.#pending.delete(variant);
  }
}
