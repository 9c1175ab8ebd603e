import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it, vi } from "vitest";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { BpeCounterError } from "./bpe-counter-error.ts";
import { type BpeEncoding, createBpeCounter, loadVocabulary } from "./create-bpe-counter.ts";

const asText = { disallowedSpecial: new Set<string>() };
const encodings: [BpeEncoding, TokenCounter, (text: string) => number][] = [
  ["o200k_base", await createBpeCounter("o200k_base"), (text) => countO200k(text, asText)],
  ["cl100k_base", await createBpeCounter("cl100k_base"), (text) => countCl100k(text, asText)],
];

const fixtures = new URL("../tokens/__fixtures__/", import.meta.url);
const prose = readdirSync(fixtures).map((name) => readFileSync(new URL(name, fixtures), "utf8"));
const sources = join(
  dirname(createRequire(import.meta.url).resolve("gpt-tokenizer/package.json")),
  "src",
);
const code = ["GptEncoding.ts", "BytePairEncodingCore.ts", "functionCalling.ts"].map((name) =>
  readFileSync(join(sources, name), "utf8"),
);

const seeded = (seed: number) => (): number =>
  (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const random = seeded(5);
const run = (length: number, from: number, range: number): string =>
  Array.from({ length }, () => String.fromCodePoint(from + Math.floor(random() * range))).join("");

describe.each(encodings)("createBpeCounter(%j)", (encoding, counter, reference) => {
  it("names the encoding and is exact", () => {
    expect(counter).toMatchObject({ name: encoding, isExact: true });
    expect(counter.count("")).toBe(0);
    expect(counter.countMessages?.([{ role: "user", content: "Hello there" }])).toBe(3 + 3 + 1 + 2);
  });

  it("counts prose and code like gpt-tokenizer", () => {
    expect(prose.length + code.length).toBeGreaterThan(6);
    for (const text of [...prose, ...code]) expect(counter.count(text)).toBe(reference(text));
  });

  it("counts special tokens as ordinary text", () => {
    for (const text of [
      "<|endoftext|>",
      "a <|im_start|>user<|im_sep|> b",
      "<|fim_prefix|><|endofprompt|>",
    ]) {
      expect(counter.count(text)).toBe(reference(text));
    }
  });

  it("counts any text like gpt-tokenizer, except byte order marks, which gpt-tokenizer drops while merging", () => {
    const words = [
      "the",
      " function",
      "'re",
      "'LL",
      "<|endoftext|>",
      "é",
      "e\u0301",
      "日本",
      "ǅ",
      "Я",
      "𝟘",
      "😀",
      "\ud800",
      "\r\n",
      "\n",
      "  ",
      "\t",
      "/",
      "12",
    ];
    const part = fc.oneof(fc.constantFrom(...words), fc.string({ unit: "binary", maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join("").replaceAll("\ufeff", "");
        expect(counter.count(text)).toBe(reference(text));
      }),
    );
  });

  it("counts any unbroken run of a few characters like gpt-tokenizer", () => {
    const alphabet = fc.constantFrom(
      "ab",
      "aeinrst",
      "оаеинт",
      "的一是不了人",
      "きのはをに",
      "=-",
      "\ud800x",
      "𠀀𠀁",
    );
    const run = alphabet.chain((letters) =>
      fc.array(fc.constantFrom(...letters), { maxLength: 120 }),
    );
    fc.assert(
      fc.property(run, (parts) => {
        expect(counter.count(parts.join(""))).toBe(reference(parts.join("")));
      }),
    );
  });

  it.each<[kind: string, text: string]>([
    ["equal letters", "a".repeat(1_200)],
    ["random letters", run(1_000, 0x61, 26)],
    ["Cyrillic letters", run(700, 0x430, 32)],
    ["ideographs", run(500, 0x4e00, 20_000)],
    ["emoji", run(300, 0x1f600, 60)],
    ["spaces", " ".repeat(1_500)],
    ["newlines", "\n".repeat(1_500)],
    ["punctuation", "!?".repeat(600)],
  ])("counts an unbroken run of %s like gpt-tokenizer", (_kind, text) => {
    expect(counter.count(text)).toBe(reference(text));
  });

  it.each<[kind: string, unit: string, length: number]>([
    ["letters", "ab", 50_000],
    ["ideographs", "日本語", 40_000],
    ["surrogate pairs after one letter", "𠀀", 40_000],
  ])(
    "is off by less than 2 % if a run of %s is too long to be merged as a whole",
    (_kind, unit, repeats) => {
      const parts = 200;
      const expected = counter.count(unit.repeat(repeats / parts)) * parts;
      expect(Math.abs(counter.count(`x${unit.repeat(repeats)}`) / expected - 1)).toBeLessThan(0.02);
    },
  );
});

describe("createBpeCounter", () => {
  it("says what to install if the tokenizer is missing", async () => {
    vi.doMock("gpt-tokenizer/bpeRanks/o200k_base", () => {
      throw new Error("Cannot find package");
    });
    const { createBpeCounter: createFresh } = await import("./create-bpe-counter.ts");
    const error: unknown = await createFresh("o200k_base").catch((reason: unknown) => reason);
    vi.doUnmock("gpt-tokenizer/bpeRanks/o200k_base");
    expect(BpeCounterError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: "tokenizer_missing",
      message: expect.stringContaining('"gpt-tokenizer"'),
    });
  });

  it("counts the same with a vocabulary that was stored as bytes", async () => {
    const vocabulary = await loadVocabulary("o200k_base");
    const kept = Uint8Array.from([9, 9, 9, ...vocabulary]).subarray(3);
    const counter = await createBpeCounter("o200k_base", { vocabulary: kept });
    for (const text of [...prose, ...code])
      expect(counter.count(text)).toBe(countO200k(text, asText));
  });

  it.each<[what: string, damage: (bytes: Uint8Array) => Uint8Array]>([
    ["is empty", () => new Uint8Array(0)],
    ["is truncated", (bytes) => bytes.subarray(0, -1)],
    ["ends within its table of lengths", (bytes) => bytes.subarray(0, 1_000)],
    ["states another number of tokens", (bytes) => bytes.with(0, 1)],
  ])("rejects a vocabulary that %s", async (_what, damage) => {
    const vocabulary = damage(await loadVocabulary("cl100k_base"));
    await expect(createBpeCounter("cl100k_base", { vocabulary })).rejects.toMatchObject({
      code: "invalid_vocabulary",
    });
  });

  it("rejects an unknown encoding", async () => {
    await expect(createBpeCounter(JSON.parse('"p50k_base"'))).rejects.toMatchObject({
      code: "unknown_encoding",
    });
  });
});
