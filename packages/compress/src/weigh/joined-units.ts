import type { Unit } from "../unit.ts";

/** Texts of units in one, so that few of them are looked at one by one. */
export interface JoinedUnits {
  text: string;
  /** Where each unit ends. */
  ends: Uint32Array;
}

export function joinUnits(units: readonly Unit[]): JoinedUnits {
  return joinTexts(units.map(({ text }) => text));
}

/** In lower case, which few texts are longer in. */
export function inLowerCase({ text, ends }: JoinedUnits, units: readonly Unit[]): JoinedUnits {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return { text: lower, ends };
  return joinTexts(units.map((unit) => unit.text.toLowerCase()));
}

function joinTexts(texts: readonly string[]): JoinedUnits {
  const ends = new Uint32Array(texts.length);
  let end = -1;
  for (let at = 0; at < texts.length; at += 1) {
    end += (texts[at]?.length ?? 0) + 1;
    ends[at] = end;
  }
  return { text: texts.join("\n"), ends };
}

/** Places of the units in which something is found, in order; `find` says where from a place on, or -1. */
export function unitsWith({ ends }: JoinedUnits, find: (from: number) => number): number[] {
  const places: number[] = [];
  let unit = 0;
  for (let at = find(0); at >= 0; at = find((ends[unit] ?? 0) + 1)) {
    while ((ends[unit] ?? Infinity) < at) unit += 1;
    places.push(unit);
  }
  return places;
}
