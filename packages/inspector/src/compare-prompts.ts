import { sha256Hex } from "@ccl/core";
import { diffArrays } from "diff";

import { diffTexts } from "./diff-texts.ts";
import type { CacheBreak, ComparedPair, PromptPart } from "./views.ts";

/** A part of a prompt as sent, with the fields used to decide whether it equals another part. */
export interface ComparedPart extends Pick<PromptPart, "origin" | "tool" | "tokens"> {
  /** The text, possibly without secrets. Undefined if it was not stored. */
  text?: string | undefined;
  /** SHA-256 of the text as sent, in hex. */
  hash?: string | undefined;
  /** Links a call to its result. A provider's cache ends at a different id. */
  callId?: string | undefined;
  /** The record from which the part was read. Parts from the same record are equal. */
  record: object;
}

/** A comparison of two prompts part by part, and the point where the second leaves the cached prefix of the first. */
export interface PromptComparison {
  /** Each part of both prompts once, in order. Moved parts come last. */
  pairs: ComparedPair[];
  /** Absent if one prompt extends the other. */
  break?: CacheBreak | undefined;
}

/** Maximum number of differences to search for. Prompts with more are compared as a whole. */
const maxEdits = 4_000;
const secretMarker = "[redacted:";

/** Indexes into the first and the second prompt. */
type Places = Record<"first" | "second", number[]>;
type Prompts = Record<"first" | "second", readonly ComparedPart[]>;

/**
 * Compares the parts of two prompts by content. Parts are equal only if their texts or hashes are
 * equal. Parts are `unknown` if neither text nor hash was stored.
 */
export function comparePrompts(
  first: readonly ComparedPart[],
  second: readonly ComparedPart[],
): PromptComparison {
  const prompts = { first: first.map(hashed), second: second.map(hashed) };
  const runs = alignedRuns(prompts);
  const left = {
    first: runs.flatMap(({ isSame, first: places }) => (isSame ? [] : places)),
    second: runs.flatMap(({ isSame, second: places }) => (isSame ? [] : places)),
  };
  const moved = movedParts(left, prompts);
  const origins = new Set(moved.values());
  const isUnknown = unknownParts(left, prompts);
  const pairs = runs.flatMap(({ isSame, first: from, second: to }): ComparedPair[] =>
    isSame
      ? from.map((at, place) => ({ change: "same", first: at, second: to[place] }))
      : pairsOfGap(
          {
            first: from.filter((at) => !origins.has(at)),
            second: to.filter((at) => !moved.has(at)),
          },
          { prompts, isUnknown },
        ),
  );
  const movedPairs = [...moved].map(([second, first]): ComparedPair => ({
    change: "moved",
    first,
    second,
  }));
  return { pairs: [...pairs, ...movedPairs], break: cacheBreak(prompts) };
}

/**
 * Computes a missing hash from the text. Leaves it undefined if the text may differ from what was
 * sent: secrets may be masked, and an empty text may represent an image.
 */
function hashed(part: ComparedPart): ComparedPart {
  const { hash, text } = part;
  return hash === undefined && text !== undefined && text !== "" && !text.includes(secretMarker)
    ? { ...part, hash: sha256Hex(text) }
    : part;
}

/** Returns undefined if it is unknown whether the parts are equal. */
function isSamePart(a: ComparedPart, b: ComparedPart): boolean | undefined {
  if (kindOf(a) !== kindOf(b)) return false;
  if (a.record === b.record) return true;
  if (a.hash !== undefined && b.hash !== undefined) return a.hash === b.hash;
  const isOther = a.text !== undefined && b.text !== undefined && a.text !== b.text;
  return isOther ? false : undefined;
}

function kindOf({ origin, tool }: ComparedPart): string {
  return `${origin} ${tool ?? ""}`;
}

/** Divides both prompts into alternating runs of equal parts and other parts. */
function alignedRuns({ first, second }: Prompts): (Places & { isSame: boolean })[] {
  const comparator = (a: ComparedPart, b: ComparedPart): boolean => isSamePart(a, b) === true;
  const edits = diffArrays([...first], [...second], { comparator, maxEditLength: maxEdits }) ?? [
    { removed: true, added: false, count: first.length },
    { removed: false, added: true, count: second.length },
  ];
  const runs: (Places & { isSame: boolean })[] = [];
  let [left, right] = [0, 0];
  for (const { added, removed, count } of edits) {
    const isSame = !added && !removed;
    const last = runs.at(-1);
    const run = last?.isSame === isSame ? last : { isSame, first: [], second: [] };
    if (run !== last) runs.push(run);
    for (let done = 0; done < count; done += 1) {
      if (!added) run.first.push(left++);
      if (!removed) run.second.push(right++);
    }
  }
  return runs;
}

/**
 * Finds unmatched parts that occur elsewhere in the other prompt. Maps indexes in the second prompt
 * to indexes in the first.
 */
function movedParts(left: Places, { first, second }: Prompts): Map<number, number> {
  const places = new Map<string, number[]>();
  for (const at of left.first) {
    const part = first[at];
    if (part?.hash === undefined) continue;
    const key = `${kindOf(part)} ${part.hash}`;
    places.set(key, [...(places.get(key) ?? []), at]);
  }
  const moved = new Map<number, number>();
  for (const at of left.second) {
    const part = second[at];
    const from = part && places.get(`${kindOf(part)} ${part.hash}`)?.shift();
    if (from !== undefined) moved.set(at, from);
  }
  return moved;
}

/** Finds parts, in a range that cannot be compared, that may also be in the other prompt. */
function unknownParts(
  left: Places,
  prompts: Prompts,
): (side: keyof Prompts, part: ComparedPart) => boolean {
  const kindsOf = (side: keyof Prompts): Set<string> =>
    new Set(
      left[side].flatMap((at) => {
        const part = prompts[side][at];
        return part === undefined || part.hash !== undefined ? [] : [kindOf(part)];
      }),
    );
  const kinds = { first: kindsOf("first"), second: kindsOf("second") };
  return (side, part) =>
    part.hash === undefined || kinds[side === "first" ? "second" : "first"].has(kindOf(part));
}

/** Pairs the parts between two equal parts. Each is paired with the next part of the same kind. */
function pairsOfGap(
  gap: Places,
  { prompts, isUnknown }: { prompts: Prompts; isUnknown: ReturnType<typeof unknownParts> },
): ComparedPair[] {
  const alone = (side: keyof Prompts, at: number): ComparedPair => {
    const part = prompts[side][at];
    const change = side === "first" ? "removed" : "added";
    return {
      change: part === undefined || isUnknown(side, part) ? "unknown" : change,
      [side]: at,
    };
  };
  const rest = [...gap.second];
  const pairs: ComparedPair[] = [];
  for (const at of gap.first) {
    const part = prompts.first[at];
    const place = rest.findIndex((other) => {
      const found = prompts.second[other];
      return part !== undefined && found !== undefined && kindOf(found) === kindOf(part);
    });
    const before = rest.splice(0, place + 1);
    const partner = before.pop();
    pairs.push(...before.map((added) => alone("second", added)));
    pairs.push(partner === undefined ? alone("first", at) : pairOf(at, partner, prompts));
  }
  return [...pairs, ...rest.map((added) => alone("second", added))];
}

function pairOf(at: number, other: number, { first, second }: Prompts): ComparedPair {
  const [a, b] = [first[at], second[other]];
  if (a === undefined || b === undefined || isSamePart(a, b) === undefined)
    return { change: "unknown", first: at, second: other };
  const diff = a.text === undefined || b.text === undefined ? undefined : diffTexts(a.text, b.text);
  return { change: "changed", first: at, second: other, diff };
}

function cacheBreak({ first, second }: Prompts): CacheBreak | undefined {
  let keptTokens = 0;
  for (const [at, part] of first.entries()) {
    const other = second[at];
    if (other === undefined) return undefined;
    const isSame = part.callId === other.callId && isSamePart(part, other);
    if (isSame !== true) {
      const lostTokens = first.slice(at).reduce((sum, { tokens }) => sum + tokens, 0);
      const byte = isSame === false ? commonBytes(part, other) : undefined;
      return { second: at, byte, isKnown: isSame === false, keptTokens, lostTokens };
    }
    keptTokens += part.tokens;
  }
  return undefined;
}

/**
 * Returns the length of the common prefix of two different parts in UTF-8 bytes. Returns undefined
 * if it is unknown.
 */
function commonBytes(a: ComparedPart, b: ComparedPart): number | undefined {
  if (kindOf(a) !== kindOf(b) || a.callId !== b.callId) return 0;
  if (a.text === undefined || b.text === undefined || a.text === b.text) return undefined;
  const [left, right] = [new TextEncoder().encode(a.text), new TextEncoder().encode(b.text)];
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1;
  // The placeholder for an earlier secret differs in length from the secret.
  return new TextDecoder().decode(left.subarray(0, at)).includes(secretMarker) ? undefined : at;
}
