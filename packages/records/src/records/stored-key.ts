import { RecordsError } from "../records-error.ts";

/** What a key identifies: a record, the head of a log, an entry of a log, or a lease. */
export type StoredKind = "record" | "log" | "entry" | "lease";

const letters = { record: "r", log: "l", entry: "e", lease: "t" } as const;
const maxName = 300;
/** Sorts after all names of a kind. */
const afterNames = "\u007f";

/** Returns the key of a name. Keys sort like their names, by code units. */
export function keyOf(kind: StoredKind, name: string): string {
  return `${letters[kind]} ${escaped(name)}`;
}

/** Returns the key of an entry. The first entry has position 0. */
export function entryKey(log: string, position: number): string {
  return `${keyOf("entry", log)} ${String(position).padStart(12, "0")}`;
}

/** Returns the key range of names with a prefix, starting after `cursor` if given. */
export function rangeOf(
  kind: StoredKind,
  { prefix = "", cursor }: { prefix?: string | undefined; cursor?: string | undefined },
): { from: string; before: string } {
  const first = keyOf(kind, prefix);
  const from = cursor === undefined ? first : keyAfter(keyOf(kind, cursor));
  return { from: from < first ? first : from, before: first + afterNames };
}

/**
 * Returns the key that sorts directly after another. No key ends in a space, and no character of a name sorts below a
 * space.
 */
export function keyAfter(key: string): string {
  return `${key} `;
}

/**
 * Returns the name that a key stands for, and the position of an entry. Undefined for a key that this package did not
 * write.
 */
export function parseKey(
  key: string,
): { kind: StoredKind; name: string; position: number } | undefined {
  const [, letter, name = "", position = "0"] = /^([rlet]) ([!-~]+)(?: (\d{12}))?$/.exec(key) ?? [];
  const kinds: readonly StoredKind[] = ["record", "log", "entry", "lease"];
  const kind = kinds.find((candidate) => letters[candidate] === letter);
  return kind && { kind, name: unescaped(name), position: Number(position) };
}

/** @throws RecordsError `invalid_options` */
export function requireName(name: unknown): asserts name is string {
  if (typeof name === "string" && name !== "" && name.length <= maxName) return;
  throw new RecordsError("invalid_options", `A name has 1 to ${maxName} characters.`);
}

/**
 * Encodes a name as printable ASCII that sorts like the name. `!` and everything below it sort lower, everything above
 * ASCII sorts higher.
 */
function escaped(name: string): string {
  return name.replace(/[^"-}]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return unit < '"' ? `!${hex}` : `~${hex}`;
  });
}

function unescaped(name: string): string {
  return name.replace(/[!~]([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
