import { valueText } from "../json/row-unit.ts";
import type { JoinedTexts, Units } from "../unit.ts";

export function joinUnits(units: Units): JoinedTexts {
  return joinTexts(units, (text) => text);
}

/** Converts to lower case. This can change the length, and then the offsets are computed again. */
export function inLowerCase({ text, ends }: JoinedTexts, units: Units): JoinedTexts {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return { text: lower, ends };
  return joinTexts(units, (own) => own.toLowerCase());
}

function joinTexts(units: Units, textOf: (text: string) => string): JoinedTexts {
  const ends = new Uint32Array(units.length);
  const texts: string[] = [];
  let end = -1;
  for (let at = 0; at < units.length; at += 1) {
    const unit = units.at(at);
    const text = textOf(unit?.values?.map(valueText).join("|") ?? unit?.text ?? "");
    end += text.length + 1;
    ends[at] = end;
    texts.push(text);
  }
  return { text: texts.join("\n"), ends };
}

/**
 * Returns the places of the units that contain a match, in order. `find` returns the next offset at
 * or after `from`, or -1.
 */
export function unitsWith({ ends }: JoinedTexts, find: (from: number) => number): number[] {
  const places: number[] = [];
  let unit = 0;
  for (let at = find(0); at >= 0; at = find((ends[unit] ?? 0) + 1)) {
    while ((ends[unit] ?? Infinity) < at) unit += 1;
    places.push(unit);
  }
  return places;
}
