import { estimatedCounter } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { kindSamples } from "./__fixtures__/kind-samples.ts";
import { compress } from "./compress.ts";
import { readContent } from "./read-content.ts";

const budget = 300;
const samples = kindSamples.map((sample) => [sample.name, sample] as const);

describe.each(samples)("%s", (_name, { kind, text, query, facts }) => {
  it("shows the important fact in 300 tokens, unlike its head and tail", () => {
    const shown = compress(text, { budget, query });
    expect(shown.kind).toBe(kind);
    expect(shown.tokens).toBeLessThanOrEqual(budget);
    expect(facts.filter((fact) => !shown.text.includes(fact))).toEqual([]);
    const ends = headAndTail(text);
    expect(facts.some((fact) => !ends.includes(fact))).toBe(true);
  });

  it("can be read at each range that was left out", () => {
    const shown = compress(text, { budget, query });
    expect(shown.ranges.length).toBeGreaterThan(0);
    let omitted = 0;
    for (const { from, to } of shown.ranges) {
      const piece = readContent(text, { from, to, budget: 1e6 });
      expect(piece).toMatchObject({ to, numbering: shown.numbering, isCut: false });
      expect(piece.text).not.toBe("");
      omitted += to - from + 1;
    }
    const last = shown.ranges.at(-1)?.to ?? 0;
    expect(last).toBeLessThanOrEqual(readContent(text, { from: 1, to: 1 }).last);
    const blank = text.split("\n").filter((line) => line.trim() === "").length;
    expect(omitted).toBeGreaterThanOrEqual(shown.omitted - blank);
  });
});

it("is read by the numbers of the markers between lines", () => {
  const text = kindSamples.find(({ name }) => name === "Markdown")?.text ?? "";
  const shown = compress(text, { budget, query: "version 9" }).text;
  const marks = [...shown.matchAll(/^\[\.\.\. lines (\d+)-(\d+)\]$/gm)];
  expect(marks.length).toBeGreaterThan(1);
  for (const [, from, to] of marks) {
    const piece = readContent(text, { from: Number(from), to: Number(to), budget: 1e6 });
    const lines = text.split("\n").slice(Number(from) - 1, Number(to));
    expect(piece.text).toBe(lines.join("\n"));
  }
});

it.each([
  ["of several files", (line: number) => `src/${line % 9}/store.ts`],
  ["of one file", undefined],
])("shows hits of grep -C %s without their context", (_name, fileOf) => {
  const lines = Array.from({ length: 900 }, (_, at) => {
    const line = Math.floor(at / 4) * 20 + (at % 4);
    const sign = at % 4 === 1 ? ":" : "-";
    const place = fileOf === undefined ? "" : `${fileOf(line)}${sign}`;
    return at % 4 === 3 ? "--" : `${place}${line}${sign}  ${sign === ":" ? "hit" : "near"} ${at};`;
  });
  const shown = compress(lines.join("\n"), { budget });
  expect(shown.kind).toBe("matches");
  const rows = shown.text.split("\n").slice(1);
  expect(rows.filter((row) => row.includes("hit")).length).toBeGreaterThan(rows.length / 2);
  expect(rows.filter((row) => row.endsWith("--")).length).toBeLessThan(2);
});

/** The control: as many tokens from both ends. */
function headAndTail(text: string): string {
  for (let chars = budget * 3; ; chars = Math.floor(chars * 0.9)) {
    const shown = `${text.slice(0, chars)}\n[...]\n${text.slice(-chars)}`;
    if (estimatedCounter.count(shown) <= budget) return shown;
  }
}
