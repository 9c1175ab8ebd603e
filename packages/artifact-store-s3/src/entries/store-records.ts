import { type RecordChange, RecordsError, type StoredRecord } from "@ccl/records";
import type { S3Context } from "../s3-context.ts";

/** Which records to read. */
export interface RecordRange {
  prefix: string;
  /** Only names after this one. */
  after?: string | undefined;
  /** Records of a page, 1,000 by default. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Yields the records whose names begin with a prefix, in the order of the names. */
export async function* recordPages(
  { records }: S3Context,
  { prefix, after, limit = 1_000, signal }: RecordRange,
): AsyncGenerator<StoredRecord[], void> {
  let cursor = after;
  do {
    const page = await records.list({ prefix, cursor, limit, signal });
    yield page.records;
    ({ cursor } = page);
  } while (cursor !== undefined);
}

/** Writes all changes. False if another writer changed one of the records first. Never aborted halfway. */
export async function isWritten(
  { records }: S3Context,
  changes: readonly RecordChange[],
): Promise<boolean> {
  try {
    await records.write(changes);
    return true;
  } catch (error) {
    if (RecordsError.isInstance(error) && error.code === "conflict") return false;
    throw error;
  }
}
