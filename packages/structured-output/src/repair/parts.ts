import { decodeString } from "./decode-string.ts";
import type { Repair, RepairKind } from "./repair.ts";
import { setField } from "./set-field.ts";

/** A value, or its position in the text until the cheapest reading is known. */
export type Part =
  | { type: "value"; value: unknown; start: number }
  | { type: "text"; start: number; end: number; mark: string; before: Part | undefined }
  | { type: "container"; kind: Kind; entries: Entry | undefined };

/** An object field or list item, linked to the previous one. */
export interface Entry {
  previous: Entry | undefined;
  key: Part | undefined;
  part: Part;
}

type Kind = "object" | "array" | "paren";

/** An open bracket and its content so far. Immutable, since several readings share it. */
export interface Frame {
  kind: Kind;
  parent: Frame | undefined;
  depth: number;
  /** Equal for frames nested in the same kinds of brackets. */
  shape: number;
  /** The bracket's offset. */
  position: number;
  entries: Entry | undefined;
  /** The key of the next value. */
  key: Part | undefined;
  /** True if a key between array items opened this object: `["a": 1]`. */
  isImplicit: boolean;
}

/** A reading's repairs, last first. */
export interface RepairLink {
  previous: RepairLink | undefined;
  count: number;
  kind: RepairKind;
  position: number;
}

/** Adds a value to the frame, under the pending key if any. */
export function withPart(frame: Frame, part: Part): Frame {
  return { ...frame, key: undefined, entries: { previous: frame.entries, key: frame.key, part } };
}

/** Returns a frame's value: `(x)` is x, `(x, y)` a list. */
export function partOf({ kind, entries }: Frame, isTrailing: boolean): Part {
  const isGroup =
    kind === "paren" && entries !== undefined && entries.previous === undefined && !isTrailing;
  return isGroup ? entries.part : { type: "container", kind, entries };
}

/** Builds a reading's value, and lists its repairs in text order. */
export function build(
  text: string,
  root: Part,
  links: RepairLink | undefined,
): { value: unknown; repairs: Repair[]; isAmbiguous: boolean } {
  const built: Built = { repairs: [], isAmbiguous: false };
  const { repairs } = built;
  const value = valueOf(text, root, built);
  for (let link = links; link !== undefined; link = link.previous)
    repairs.push({ kind: link.kind, position: link.position });
  // Links run from last to first. Reversing them preserves the order of repairs at one position.
  const ordered = repairs.reverse().toSorted((a, b) => a.position - b.position);
  return { value, repairs: ordered, isAmbiguous: built.isAmbiguous };
}

interface Built {
  repairs: Repair[];
  /** True if a string's backslashes can be read in two ways, or a key is repeated. */
  isAmbiguous: boolean;
}

function valueOf(text: string, part: Part, built: Built): unknown {
  if (part.type === "value") return part.value;
  if (part.type === "text") return textOf(text, part, built);
  const entries: Entry[] = [];
  for (let entry = part.entries; entry !== undefined; entry = entry.previous) entries.push(entry);
  entries.reverse();
  if (part.kind !== "object") return entries.map((entry) => valueOf(text, entry.part, built));
  const fields: Record<string, unknown> = {};
  for (const { key, part: child } of entries) {
    const name = key === undefined ? "" : String(valueOf(text, key, built));
    // In text that needs a search, the second may belong to another object, or to a string.
    if (Object.hasOwn(fields, name)) built.isAmbiguous = true;
    setField(fields, name, valueOf(text, child, built));
  }
  return fields;
}

function textOf(text: string, part: Part & { type: "text" }, built: Built): string {
  const { start, end, mark, before } = part;
  const raw = text.slice(start, end);
  const decoded =
    mark === "\\"
      ? // The whole text was escaped once more.
        decodeString(raw.replaceAll(/\\(["\\])/g, "$1"), { mark: '"', offset: start, repairs: [] })
      : decodeString(raw, { mark, offset: start, repairs: built.repairs });
  if (decoded === undefined) built.isAmbiguous = true;
  return (before === undefined ? "" : String(valueOf(text, before, built))) + (decoded ?? raw);
}
