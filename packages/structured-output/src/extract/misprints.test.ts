import { isDeepStrictEqual } from "node:util";

import { jsonrepair } from "jsonrepair";
import { describe, expect, it } from "vitest";

import { answerValue, MISPRINTS, misprint } from "../../test-support/misprint.ts";
import { extractJson } from "./extract-json.ts";

interface Count {
  right: number;
  wrong: number;
  refused: number;
}

const ANSWERS = 100;
const kinds = Object.keys(MISPRINTS);

function count(texts: { text: string; value: unknown }[], read: (text: string) => unknown): Count {
  const counted = { right: 0, wrong: 0, refused: 0 };
  for (const { text, value } of texts) counted[verdict(text, value, read)] += 1;
  return counted;
}

function verdict(text: string, value: unknown, read: (text: string) => unknown): keyof Count {
  try {
    return isDeepStrictEqual(read(text), value) ? "right" : "wrong";
  } catch {
    return "refused";
  }
}

function readOurs(text: string): unknown {
  const result = extractJson(text);
  if (!result.ok) throw new Error(result.issues[0]?.code);
  return result.value.value;
}

const readTheirs = (text: string): unknown => JSON.parse(jsonrepair(text));

function answers(seed: number, kindsOf: (random: () => number) => string[]) {
  const random = createRandom(seed);
  return Array.from({ length: ANSWERS }, () => {
    const value = answerValue(random);
    return { text: misprint(value, kindsOf(random), random), value };
  });
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

describe("values printed wrongly", () => {
  it.each(kinds)("come back from %s, and no oftener wrong than from jsonrepair", (kind) => {
    const texts = answers(kinds.indexOf(kind) + 1, () => [kind]);
    const ours = count(texts, readOurs);
    const theirs = count(texts, readTheirs);
    expect(ours.wrong).toBeLessThanOrEqual(ANSWERS / 100);
    expect(ours.right).toBeGreaterThanOrEqual(Math.min(theirs.right, ANSWERS * 0.97));
  });

  it("come back from several kinds at once, which jsonrepair reads wrongly more often", () => {
    const texts = kinds.flatMap((kind, index) =>
      answers(index + 100, (random) => [kind, kinds[Math.floor(random() * kinds.length)] ?? kind]),
    );
    const ours = count(texts, readOurs);
    const theirs = count(texts, readTheirs);
    expect(ours.wrong).toBeLessThanOrEqual(texts.length / 100);
    expect(ours.right).toBeGreaterThan(texts.length * 0.95);
    // The control: what reads such texts less well is told apart.
    expect(theirs.wrong).toBeGreaterThan(texts.length / 10);
  });
});
