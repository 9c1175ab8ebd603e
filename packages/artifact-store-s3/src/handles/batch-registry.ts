import type { S3Bucket } from "../bucket/s3-bucket.ts";
import { batchKey, noBatch } from "../layout/s3-layout.ts";

const maxKnown = 10_000;
const maxRestarts = 50;

/** Which batches one call treats as committed. A batch is either completely in a view or not at all. */
export interface BatchView {
  /**
   * Which of these batches count. Undefined if one was committed after the listing began, so that the call must list
   * again.
   */
  admit(batches: Iterable<string>): Promise<ReadonlySet<string> | undefined>;
}

/** Remembers which batches are committed. A batch never becomes uncommitted while it has a member. */
export class BatchRegistry {
  readonly #bucket: S3Bucket;
  /** Maps a batch to the order in which it was found committed. */
  readonly #known = new Map<string, number>();
  #count = 0;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  /** True if the batch was committed. Asks the server unless the answer is known. */
  async isCommitted(batch: string, signal?: AbortSignal): Promise<boolean> {
    if (batch === noBatch || this.#known.has(batch)) return true;
    if ((await this.#bucket.sizeOf(batchKey(batch), signal)) === undefined) return false;
    this.remember(batch);
    return true;
  }

  remember(batch: string): void {
    this.#count += 1;
    this.#known.set(batch, this.#count);
    const oldest = this.#known.size > maxKnown ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /**
   * Runs a listing so that it shows whole batches. Members are written before their batch is committed, so a batch that
   * was committed before the listing began is complete in it. A batch that was committed later requires another
   * listing.
   */
  async settle<Output>(
    list: (view: BatchView) => Promise<Output | undefined>,
    signal?: AbortSignal,
  ): Promise<Output | undefined> {
    const admitted = new Set<string>([noBatch]);
    const refused = new Set<string>();
    for (let restart = 0; ; restart += 1) {
      const mark = this.#count;
      const admit: BatchView["admit"] = async (batches) => {
        const asked = new Set(batches);
        const open = [...asked].filter((batch) => !admitted.has(batch) && !refused.has(batch));
        let isStale = false;
        for (const batch of open) {
          const wasKnown = (this.#known.get(batch) ?? Infinity) <= mark;
          const isCommitted = wasKnown || (await this.isCommitted(batch, signal));
          (isCommitted && (wasKnown || restart < maxRestarts) ? admitted : refused).add(batch);
          isStale ||= isCommitted && !wasKnown && restart < maxRestarts;
        }
        return isStale ? undefined : new Set([...asked].filter((batch) => admitted.has(batch)));
      };
      const output = await list({ admit });
      if (output !== undefined || restart >= maxRestarts) return output;
    }
  }
}
