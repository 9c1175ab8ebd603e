import { type Layout, listUnits, type Unit } from "../unit.ts";

/** A declaration of a source file, such as an item of an outline of `@ccl/aliases`. */
export interface OutlineEntry {
  /** The signature. It has several lines if there are members. */
  text: string;
  /** Lines of the source, counted from 1, both ends included. */
  firstLine: number;
  lastLine: number;
}

const signatureWeight = 0.8;
const bodyWeight = 0.05;

/**
 * Replaces declarations by their signatures, with their bodies below as units of low weight.
 * Entries may be nested.
 */
export function applyOutline(layout: Layout, outline: readonly OutlineEntry[]): Layout {
  const units = listUnits(layout.units);
  const entries = outline.toSorted((a, b) => a.firstLine - b.firstLine || b.lastLine - a.lastLine);
  const open: { at: number; lastLine: number }[] = [];
  let next = 0;
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at];
    if (unit === undefined) continue;
    while ((open.at(-1)?.lastLine ?? Infinity) < unit.from) open.pop();
    const entry = entries[next];
    if (entry !== undefined && entry.firstLine <= unit.to) {
      while ((entries[next]?.firstLine ?? Infinity) <= unit.to) next += 1;
      const { from, to } = unit;
      const head = open.at(-1)?.at;
      units[at] = { text: signatureOf(entry), from, to, head, weight: signatureWeight };
      open.push({ at, lastLine: entry.lastLine });
    } else {
      const head = open.at(-1)?.at;
      if (head !== undefined) units[at] = bodyUnit(unit, head);
    }
  }
  return { ...layout, units };
}

const maxSignature = 160;

/**
 * Returns the signature without comments. A long one is reduced to its first line, so that it is
 * not cut in the middle.
 */
function signatureOf({ text }: OutlineEntry): string {
  const [first = text, ...others] = text.split("\n").filter((line) => !/^\s*(?:\/\/|#)/.test(line));
  const whole = [first, ...others].join("\n");
  return whole.length > maxSignature ? first : whole;
}

/** Returns a unit of a body. A line inside the body keeps the enclosing line as its head. */
function bodyUnit({ text, from, to, head: innerHead = 0 }: Unit, head: number): Unit {
  return { text, from, to, head: Math.max(innerHead, head), weight: bodyWeight };
}
