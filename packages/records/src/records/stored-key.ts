import { RecordsError } from "../records-error.ts";

/** What a key stands for: a record, the head of a log, an entry of a log, or a lease. */
export type StoredKind = "record" | "log" | "entry" | "lease";

const letters = { record: "r", log: "l", entry: "e", lease: "t" } as const;
const maxName = 300;
/** Sorts after every name of a kind. */
const afterNames = "\u007f";

/** The key of a name. Keys sort like their names, by code units. */
export function keyOf(kind: StoredKind, name: string): string {
  return `${letters[kind]} ${escaped(name)}`;
}

/** The key of an entry. The first entry has position 0. */
export function entryKey(log: string, position: number): string {
  return `${keyOf("entry", log)} ${String(position).padStart(12, "0")}`;
}

/** The keys of names with a prefix, only those after `cursor` if it is given. */
export function rangeOf(
  kind: StoredKind,
  { prefix = "", cursor }: { prefix?: string | undefined; cursor?: string | undefined },
): { from: string; before: string } {
  const first = keyOf(kind, prefix);
  const from = cursor === undefined ? first : keyAfter(keyOf(kind, cursor));
  return { from: from < first ? first : from, before: first + afterNames };
}

/**
 * The key that sorts directly after another: no key ends in a blank, and no character of a name sorts below a blank.
 */
export function keyAfter(key: string): string {
  return `${key} `;
}

/**
 * The name that a key stands for, and the position of an entry. Undefined for a key that this package did not write.
 */
export function parseKey(
  key: string,
): { kind: StoredKind; name: string; position: number } | undefined {
  const [, letter, name = "", position = "0"] = /^([rlet]) ([!-~]+)(?: (\d{12}))?$/.exec(key) ?? [];
  const kinds: readonly StoredKind[] = ["record", "log", "entry", "lease"];
  const kind = kinds.find((one) => letters[one] === letter);
  return kind && { kind, name: unescaped(name), position: Number(position) };
}

/** @throws RecordsError `invalid_options` */
export function requireName(name: unknown): asserts name is string {
  if (typeof name === "string" && name !== "" && name.length <= maxName) return;
  throw new RecordsError("invalid_options", `A name has 1 to ${maxName} characters.`);
}

/**
 * Encodes a name as printable ASCII that sorts like the name: `!` and everything below it sort lower, everything above
 * ASCII higher.
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
