import { type ChatMessage, type ProviderFields, sha256Hex } from "@ccl/core";
import { isRecord, type JsonRecord, recordAt, toBase64 } from "@ccl/core/json";

type Path = readonly (string | number)[];

/**
 * How a message's original wire form differs from what its converter writes: first the changed fields, then the order
 * of keys and the lengths of lists. A hash of the written form is stored with it. If the hash differs later, the
 * message was changed.
 */
interface Difference {
  edits: [Path, unknown][];
  order: [Path, string[] | number][];
}

/**
 * Returns the original form that `from...` recorded in `providerMetadata.wire`. Empty if the message came from another
 * format.
 */
export function formOf(format: string, owner: ProviderFields): JsonRecord {
  const form = recordAt(owner.providerMetadata, "wire");
  return form["format"] === format ? form : {};
}

/** Adds a record of the original form, without undefined and false fields. Returns the owner itself if none remain. */
export function withForm<Owner extends object>(
  format: string,
  owner: Owner & ProviderFields,
  form: JsonRecord,
): Owner {
  const fields = Object.entries(form).filter(([, value]) => value !== undefined && value !== false);
  if (fields.length === 0) return owner;
  const wire = { format, ...formOf(format, owner), ...Object.fromEntries(fields) };
  return { ...owner, providerMetadata: { ...owner.providerMetadata, wire } };
}

/** Records how the original differs from the written form of the message. */
export function withOriginal(
  format: string,
  message: ChatMessage,
  { written, original }: { written: unknown; original: unknown },
): ChatMessage {
  const found: Difference = { edits: [], order: [] };
  compare(written, original, [], found);
  if (found.edits.length + found.order.length === 0) return message;
  return withForm(format, message, {
    edits: found.edits.length > 0 ? found.edits : undefined,
    order: found.order.length > 0 ? found.order : undefined,
    seal: sealOf(written),
  });
}

/** Restores the original form of a written message, unless the message was changed. */
export function inOriginalForm(format: string, message: ChatMessage, written: unknown): unknown {
  const { seal, edits, order }: JsonRecord = formOf(format, message);
  if (seal === undefined || seal !== sealOf(written)) return written;
  let value = written;
  for (const [path, member] of differencesIn(edits)) value = changed(value, path, () => member);
  for (const [path, keys] of differencesIn(order)) value = changed(value, path, arranged(keys));
  return value;
}

/** Returns the keys whose values are not undefined, as in JSON. */
function keysOf(record: JsonRecord): string[] {
  return Object.keys(record).filter((key) => record[key] !== undefined);
}

function compare(written: unknown, original: unknown, path: Path, found: Difference): void {
  if (isPlain(written) && isPlain(original)) {
    const after = new Set(keysOf(written));
    const keys = keysOf(original);
    for (const key of keys) {
      if (after.has(key)) compare(written[key], original[key], [...path, key], found);
      else found.edits.push([[...path, key], original[key]]);
      after.add(key);
    }
    if ([...after].join("\n") !== keys.join("\n")) found.order.push([path, keys]);
  } else if (Array.isArray(written) && Array.isArray(original)) {
    for (const [index, item] of original.entries()) {
      if (index < written.length) compare(written[index], item, [...path, index], found);
      else found.edits.push([[...path, index], item]);
    }
    if (original.length < written.length) found.order.push([path, original.length]);
  } else if (!isSame(written, original)) found.edits.push([path, original]);
}

function isPlain(value: unknown): value is JsonRecord {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(plain(left)) === JSON.stringify(plain(right));
}

/** Sorts keys, since a store may reorder them, and converts bytes to text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: toBase64(value) };
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlain(value)) return value instanceof URL ? { url: value.href } : value;
  const keys = keysOf(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, plain(value[key])]));
}

function sealOf(written: unknown): string {
  return sha256Hex(JSON.stringify(plain(written)) ?? "").slice(0, 16);
}

function differencesIn(pairs: unknown): [Path, unknown][] {
  return Array.isArray(pairs) ? pairs : [];
}

function changed(value: unknown, path: Path, change: (member: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    const copy = [...value];
    copy[Number(key)] = changed(value[Number(key)], rest, change);
    return copy;
  }
  const record = isPlain(value) ? value : {};
  return { ...record, [key]: changed(record[key], rest, change) };
}

function arranged(keys: unknown): (value: unknown) => unknown {
  return (value) => {
    if (Array.isArray(value)) return value.slice(0, Number(keys));
    const record = isPlain(value) ? value : {};
    return Object.fromEntries((Array.isArray(keys) ? keys : []).map((key) => [key, record[key]]));
  };
}
