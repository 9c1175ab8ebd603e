import { stringAt } from "@ccl/core/json";
import { type RecordChange, RecordsError, type StoredRecord } from "@ccl/records";
import type { S3Context } from "../s3-context.ts";

/** Selects the records to read. */
export interface RecordRange {
  prefix: string;
  /** Reads only names after this one. */
  after?: string | undefined;
  /** Records per page. 1,000 by default. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Yields the records whose names begin with a prefix, ordered by name. A damaged record has no value. */
export async function* recordPages(
  { records }: S3Context,
  { prefix, after, limit = 1_000, signal }: RecordRange,
): AsyncGenerator<StoredRecord[], void> {
  let size = limit;
  for (let cursor = after; ;) {
    try {
      const page = await records.list({ prefix, cursor, limit: size, signal });
      yield page.records;
      ({ cursor } = page);
      if (cursor === undefined) return;
    } catch (error) {
      const name = damagedName(error);
      // Records before the damaged one are read one at a time.
      if (size > 1) size = 1;
      else {
        yield [withoutValue(name)];
        cursor = name;
        size = limit;
      }
    }
  }
}

/** Returns the records with these names, in the given order. A damaged record has no value. */
export async function readRecords(
  context: S3Context,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<readonly (StoredRecord | undefined)[]> {
  try {
    return await context.records.getMany(names, { signal });
  } catch (error) {
    const damaged = damagedName(error);
    const at = names.indexOf(damaged);
    const others = await readRecords(context, names.toSpliced(at, 1), signal);
    return others.toSpliced(at, 0, withoutValue(damaged));
  }
}

const withoutValue = (name: string): StoredRecord => ({ name, version: 0, value: undefined });

/** Returns the name of the record that a read found damaged. Rethrows any other error. */
function damagedName(error: unknown): string {
  const isDamage = RecordsError.isInstance(error) && error.code === "damaged";
  const name = isDamage ? stringAt(error.details, "name") : undefined;
  if (name === undefined) throw error;
  return name;
}

/** Writes all changes. False if another writer changed one of the records first. Never stops halfway. */
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
