import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { propertyRuns } from "../../../scripts/lengths/test-length.mjs";
import { type ComparedPart, comparePrompts } from "./compare-prompts.ts";

const part = (text: string | undefined, tool?: string): ComparedPart => ({
  origin: tool === undefined ? "user" : "result",
  tool,
  tokens: text?.length ?? 7,
  text,
  record: {},
});
const changesOf = (first: ComparedPart[], second: ComparedPart[]): string[] =>
  comparePrompts(first, second).pairs.map(({ change }) => change);

describe("comparePrompts", () => {
  it("finds a clock at the end of a long text, and the byte at which the cache ends", () => {
    const system = "Be exact. ".repeat(80);
    const [noon, later] = [part(`${system}Naïve time: 12:00`), part(`${system}Naïve time: 12:05`)];
    const found = comparePrompts([noon, part("Hi")], [later, part("Hi")]);
    expect(found.pairs.map(({ change }) => change)).toEqual(["changed", "same"]);
    expect(found.pairs[0]?.diff).toMatch(/^\+….*12:05$/m);
    expect(found.pairs[0]?.diff?.length).toBeLessThan(400);
    expect(found.break).toEqual({
      second: 0,
      byte: Buffer.byteLength(`${system}Naïve time: 12:0`),
      isKnown: true,
      keptTokens: 0,
      lostTokens: noon.tokens + 2,
    });
  });

  it("reports one removed part without marking the others as changed", () => {
    const parts = Array.from({ length: 22 }, (_, at) => part(`result ${at}`, "read"));
    const changes = changesOf(parts, parts.toSpliced(7, 1));
    expect(changes.filter((change) => change !== "same")).toEqual(["removed"]);
  });

  it("reports unknown parts if only sizes are stored, except for parts of the same record", () => {
    const [kept, unkept] = [part(undefined), part(undefined)];
    const found = comparePrompts([kept, unkept], [kept, part(undefined)]);
    expect(found.pairs.map(({ change }) => change)).toEqual(["same", "unknown"]);
    expect(found.break).toMatchObject({ second: 1, isKnown: false, byte: undefined });
  });

  it("does not treat texts as equal if their secrets are masked", () => {
    const [one, two] = [part("key [redacted:token] a"), part("key [redacted:token] b")];
    expect(changesOf([one], [part(one.text)])).toEqual(["unknown"]);
    expect(changesOf([{ ...one, hash: "a" }], [{ ...part(one.text), hash: "a" }])).toEqual([
      "same",
    ]);
    expect(comparePrompts([one], [two])).toMatchObject({
      pairs: [{ change: "changed" }],
      break: { byte: undefined, isKnown: true },
    });
  });

  it("does not treat images, which have no text, as equal", () => {
    const picture = (): ComparedPart => ({ ...part(""), origin: "media", tokens: 1_200 });
    expect(changesOf([picture()], [picture()])).toEqual(["unknown"]);
  });

  it("finds that the cache ends at another call id, although the texts are equal", () => {
    const [one, two] = ["a", "b"].map((callId) => ({ ...part("ok", "read"), callId }));
    expect(comparePrompts([one ?? part("")], [two ?? part("")])).toMatchObject({
      pairs: [{ change: "same" }],
      break: { second: 0, byte: 0, isKnown: true },
    });
  });

  it("finds no break if the second prompt extends the first or is a prefix of it", () => {
    const [a, b] = [part("a"), part("b")];
    expect(comparePrompts([a], [a, b]).break).toBeUndefined();
    expect(comparePrompts([a, b], [a]).break).toBeUndefined();
  });
});

/**
 * Prompts with texts that often repeat or share their beginning, of several kinds, some with sizes
 * only.
 */
const texts = fc.constantFrom(
  "é",
  "éa",
  "éab",
  "clock 1",
  "clock 2",
  "other",
  "line\nline",
  undefined,
);
const parts = fc.array(
  fc
    .tuple(texts, fc.constantFrom(undefined, "read", "shell"))
    .map(([text, tool]) => part(text, tool)),
  { maxLength: 12 },
);
/** A prompt, and the same prompt after a few changes. */
const prompts = fc
  .tuple(parts, parts, fc.array(fc.tuple(fc.nat(11), fc.nat(2)), { maxLength: 4 }))
  .map(([first, pool, steps]): [ComparedPart[], ComparedPart[]] => {
    const second = [...first];
    for (const [at, step] of steps) {
      const other = pool[at];
      if (other !== undefined) second.splice(at, step === 0 ? 0 : 1, other);
      else second.push(...second.splice(at, 1));
    }
    return [first, second];
  });

/** Lists statements of a comparison that contradict the parts themselves. */
function contradictions(first: ComparedPart[], second: ComparedPart[]): string[] {
  const { pairs, break: broken } = comparePrompts(first, second);
  const isEqual = (a: ComparedPart | undefined, b: ComparedPart | undefined): boolean =>
    a === b || (a?.text !== undefined && b?.text === a.text && a.tool === b?.tool);
  const wrong = pairs.filter(({ change, first: from, second: to }) => {
    const same = isEqual(first[from ?? -1], second[to ?? -1]);
    const isKnown = [...first, ...second].every(({ text }) => text !== undefined);
    if (change === "unknown") return isKnown;
    return change === "same" || change === "moved" ? !same : change === "changed" && same;
  });
  const alone = (change: string): string[] =>
    pairs.flatMap((pair) => {
      const one = first[pair.first ?? -1] ?? second[pair.second ?? -1];
      return pair.change === change ? [`${one?.tool} ${one?.text}`] : [];
    });
  const removed = new Set(alone("removed"));
  const found = [
    ...wrong.map((pair) => `a pair: ${JSON.stringify(pair)}`),
    ...alone("added").filter((one) => removed.has(one)),
  ];
  const at = first.findIndex((one, place) => second[place] && !isEqual(one, second[place]));
  if ((broken?.second ?? -1) !== at)
    found.push(`the cache is lost at ${broken?.second}, not ${at}`);
  const [one, two] = [first[at], second[at]];
  if (broken?.byte === undefined || one === undefined || two === undefined) return found;
  const [left, right] = [Buffer.from(one.text ?? ""), Buffer.from(two.text ?? "")];
  const isFirst =
    one.tool === two.tool
      ? left.subarray(0, broken.byte).equals(right.subarray(0, broken.byte)) &&
        left[broken.byte] !== right[broken.byte]
      : broken.byte === 0;
  return isFirst ? found : [...found, `the byte ${broken.byte}`];
}

it("never contradicts the parts of two prompts, and lists each part once", () => {
  fc.assert(
    fc.property(prompts, ([first, second]) => {
      const { pairs } = comparePrompts(first, second);
      const places = (side: "first" | "second") =>
        pairs.flatMap((pair) => pair[side] ?? []).sort((a, b) => a - b);
      expect(places("first")).toEqual(first.map((_, at) => at));
      expect(places("second")).toEqual(second.map((_, at) => at));
      expect(contradictions(first, second)).toEqual([]);
    }),
    { numRuns: propertyRuns * 5 },
  );
});
