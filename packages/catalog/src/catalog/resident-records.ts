import { compareCodeUnits } from "@ccl/core";
import { CatalogError } from "../catalog-error.ts";
import type { AccessOptions } from "../access/access-options.ts";
import { indexVariants, variantIdsOf } from "../access/search-variants.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import type { SearchDocument, SearchIndex } from "../search/search-index.ts";
import type { CatalogStore, ChangedId, StoredResource } from "../store/catalog-store.ts";
import { embeddingText } from "./embedding-text.ts";
import type { VectorSource } from "./vector-source.ts";

/** What a catalog keeps at hand. */
export interface ResidentOptions {
  store: CatalogStore;
  index: SearchIndex;
  vectors: VectorSource | undefined;
  access: AccessOptions | undefined;
}

/**
 * The records of a store at hand, and an index that follows it: what any writer of the store did is taken in, by the
 * store's versions, before a call is answered.
 */
export class ResidentRecords {
  readonly #options: ResidentOptions;
  readonly #records = new Map<string, StoredResource>();
  /** Index entries without a vector. */
  readonly #pending = new Map<string, ResourceRecord>();
  #sortedIds: readonly string[] | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** The store's version up to which everything is taken in. */
  version = 0;

  constructor(options: ResidentOptions) {
    this.#options = options;
  }

  get(id: string): ResourceRecord | undefined {
    return this.#records.get(id)?.record;
  }

  /** 0 for what is not there. */
  versionOf(id: string): number {
    return this.#records.get(id)?.version ?? 0;
  }

  /** By code units. */
  ids(): readonly string[] {
    this.#sortedIds ??= [...this.#records.keys()].sort(compareCodeUnits);
    return this.#sortedIds;
  }

  /** One after the other: what runs sees no half of another's writes. */
  async exclusively<Value>(action: () => Promise<Value>): Promise<Value> {
    const turn = this.#queue.then(action);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Takes in what was written since. */
  async follow(signal?: AbortSignal): Promise<void> {
    await this.exclusively(() => this.followNow(signal));
  }

  /** As `follow`, for one who has the turn. */
  async followNow(signal?: AbortSignal): Promise<void> {
    const call = { signal };
    for (;;) {
      const page = await this.#options.store.changesAfter(this.version, call);
      if (page.changes.length > 0) await this.#takeIn(page.changes, signal);
      this.version = page.after;
      if (!page.hasMore) break;
    }
  }

  /** Asks for the vectors that are missing; gives why some are still missing, or undefined. */
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
    // A record that was written meanwhile has another entry by now.
    const current = batch.filter((record) => this.#pending.get(record.id) === record);
    const documents = current.flatMap((record): SearchDocument[] => {
      const vector = found.get(embeddingText(record));
      return vector === undefined ? [] : [{ record, vector }];
    });
    if (documents.length === 0) return;
    await this.#guarded(() => this.#options.index.put(documents, { signal }));
    for (const { record } of documents) this.#pending.delete(record.id);
  }

  async #takeIn(changes: readonly ChangedId[], signal: AbortSignal | undefined): Promise<void> {
    const { store, index, access, vectors } = this.#options;
    const call = { signal };
    const ids = changes.filter(({ isRemoved }) => !isRemoved).map(({ id }) => id);
    const stored = (await store.read(ids, call)).flatMap((resource) => resource ?? []);
    const found = new Set(stored.map(({ record }) => record.id));
    // What vanished between the two calls will come as a removal.
    const gone = changes.map(({ id }) => id).filter((id) => !found.has(id));
    const entries = stored.flatMap(({ record }) => indexVariants(record, access));
    const known =
      vectors === undefined
        ? undefined
        : (await vectors.load(entries.map(embeddingText), signal)).vectors;
    const documents = entries.map((record): SearchDocument => {
      const vector = known?.get(embeddingText(record));
      return vector === undefined ? { record } : { record, vector };
    });
    if (documents.length > 0) await this.#guarded(() => index.put(documents, call));
    if (gone.length > 0) await this.#guarded(() => index.remove(gone.flatMap(variantIdsOf), call));
    for (const id of gone) this.#forget(id);
    for (const resource of stored) this.#records.set(resource.record.id, resource);
    for (const { record, vector } of documents) {
      if (vectors !== undefined && vector === undefined) this.#pending.set(record.id, record);
      else this.#pending.delete(record.id);
    }
    this.#sortedIds = undefined;
  }

  #forget(id: string): void {
    this.#records.delete(id);
    for (const variant of variantIdsOf(id)) this.#pending.delete(variant);
  }

  async #guarded(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (cause) {
      if (CatalogError.isInstance(cause)) throw cause;
      throw new CatalogError("index_failed", "The search index failed; see the cause.", { cause });
    }
  }
}
