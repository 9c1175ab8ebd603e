import { type Layout, listUnits, type Unit } from "../unit.ts";

/** A declaration of a source file, such as an item of the outlines of `@ccl/aliases`. */
export interface OutlineEntry {
  /** Its signature; several lines where it has members. */
  text: string;
  /** Lines of the source, from 1, both included. */
  firstLine: number;
  lastLine: number;
}

const signatureWeight = 0.8;
const bodyWeight = 0.05;

/** Signatures stand for what they declare, and bodies are read under them. Entries may hold others. */
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

/** Without its comments; of a long one the first line, so that none is cut in its middle. */
function signatureOf({ text }: OutlineEntry): string {
  const [first = text, ...others] = text.split("\n").filter((line) => !/^\s*(?:\/\/|#)/.test(line));
  const whole = [first, ...others].join("\n");
  return whole.length > maxSignature ? first : whole;
}

/** What encloses a line inside of the body stays its head. */
function bodyUnit({ text, from, to, head: own = 0 }: Unit, head: number): Unit {
  return { text, from, to, head: Math.max(own, head), weight: bodyWeight };
}
