import { hashAbilities, hasSameContent } from "./hash-resource.ts";
import type { ResourceInput, ResourceRecord } from "./resource-record.ts";
import { deriveDigest, digestSize } from "./schema-digest.ts";

/** Options of `deriveRecord`. */
export interface DeriveOptions {
  /** The previous record, if any. */
  before?: ResourceRecord | undefined;
  /** Milliseconds since the epoch. Used if there is no `updated_at`. */
  now: number;
}

/** The record for a checked input, and whether it differs from the previous one. */
export interface DerivedRecord {
  record: ResourceRecord;
  isChanged: boolean;
}

/**
 * Derives missing fields (digest of five fields, number of columns, time), computes hashes, and
 * increments `rev` if the schema or a capability changed. An input equal to the previous one
 * returns the previous record, byte for byte.
 */
export function deriveRecord(input: ResourceInput, { before, now }: DeriveOptions): DerivedRecord {
  if (before !== undefined && isSameInput(input, before))
    return { record: before, isChanged: false };
  const derived: string[] = [];
  const columns = input.columns ?? [];
  if (input.schema_digest === undefined) derived.push("schema_digest");
  if (input.shape?.cols === undefined && columns.length > 0) derived.push("shape.cols");
  if (input.updated_at === undefined) derived.push("updated_at");
  const schema_digest = input.schema_digest?.slice(0, digestSize) ?? deriveDigest(input);
  const shape = derived.includes("shape.cols")
    ? { ...input.shape, cols: columns.length }
    : input.shape;
  const cap = input.cap ?? capabilitiesOf(input);
  const { derived: _, ...given } = input;
  const full = {
    ...given,
    tags: input.tags ?? [],
    schema_digest,
    cap,
    ...(shape === undefined ? {} : { shape }),
  };
  const { schema_hash, cap_hash } = hashAbilities(full);
  const isSame = before?.schema_hash === schema_hash && before.cap_hash === cap_hash;
  const record: ResourceRecord = {
    ...full,
    updated_at: input.updated_at ?? new Date(now).toISOString(),
    schema_hash,
    cap_hash,
    rev: before === undefined ? 1 : isSame ? before.rev : before.rev + 1,
    ...(derived.length > 0 ? { derived } : {}),
  };
  return { record, isChanged: true };
}

/** Returns a source's default capabilities: the operations that it can push down. */
function capabilitiesOf({ pushdown = {} }: ResourceInput): string[] {
  return Object.entries(pushdown)
    .filter(([, isAble]) => isAble === true)
    .map(([name]) => name);
}

function isSameInput(input: ResourceInput, before: ResourceRecord): boolean {
  const derivedBefore = new Set(before.derived ?? []);
  const { derived: _, ...given } = input;
  const filled: ResourceInput = {
    ...given,
    tags: input.tags ?? [],
    schema_digest:
      input.schema_digest?.slice(0, digestSize) ??
      (derivedBefore.has("schema_digest") ? before.schema_digest : []),
    cap: input.cap ?? capabilitiesOf(input),
    ...(derivedBefore.has("shape.cols") &&
    input.shape?.cols === undefined &&
    before.shape !== undefined
      ? { shape: { ...input.shape, cols: before.shape.cols ?? 0 } }
      : {}),
  };
  const { derived: __, ...rest } = before;
  const isSameTime = input.updated_at === undefined || input.updated_at === before.updated_at;
  return isSameTime && hasSameContent(filled, rest);
}
