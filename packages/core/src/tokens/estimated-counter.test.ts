import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { estimatedCounter } from "./estimated-counter.ts";

const fixture = (name: string): string =>
  readFileSync(new URL(`./__fixtures__/${name}`, import.meta.url), "utf8");
const packageRoot = (name: string, from: string): string =>
  dirname(createRequire(from).resolve(`${name}/package.json`));
const peerSources = join(packageRoot("gpt-tokenizer", import.meta.url), "src");
const compiler = packageRoot(
  "typescript",
  fileURLToPath(new URL("../../../../package.json", import.meta.url)),
);

const typescript = readdirSync(peerSources)
  .filter((name) => name.endsWith(".ts") && !name.includes(".gen."))
  .map((name) => readFileSync(join(peerSources, name), "utf8"))
  .join("\n");

/** The compiler's messages in another language, as lines. They were not used for the fit. */
function messages(language: string): string {
  const json = readFileSync(
    join(compiler, "lib", language, "diagnosticMessages.generated.json"),
    "utf8",
  );
  return Object.values(JSON.parse(json)).join("\n");
}

const seeded = (seed: number) => (): number =>
  (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const random = seeded(11);
const pick = (letters: string, length: number): string =>
  Array.from({ length }, () => letters.charAt(Math.floor(random() * letters.length))).join("");
const base64 = pick("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 40_000);
const records = Array.from({ length: 200 }, (_, index) => ({
  id: `${pick("0123456789abcdef", 8)}-${pick("0123456789abcdef", 4)}`,
  createdAt: new Date(1_700_000_000_000 + index * 7_654_321).toISOString(),
  customer: {
    name: pick("abcdefghijklm", 7),
    email: `user${index}@example.com`,
    isActive: index % 3 === 0,
  },
  total: Math.floor(random() * 1e6) / 100,
  tags: ["priority", "wholesale", "returned"].slice(0, index % 4),
  note: null,
}));
const russian = fixture("prose.russian.txt");
const unspacedRussian = russian.replace(/[^а-яё]+/giu, "");

const exact = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
const error = (text: string): number => estimatedCounter.count(text) / exact(text) - 1;

describe("estimatedCounter", () => {
  it.each<[kind: string, text: string, limit: number]>([
    ["English prose", fixture("prose.english.txt"), 0.1],
    ["Russian prose", russian, 0.1],
    ["Russian messages", messages("ru"), 0.1],
    ["German messages", messages("de"), 0.1],
    ["TypeScript", typescript, 0.1],
    ["pretty JSON", JSON.stringify(records, null, 2), 0.1],
    ["minified JSON", JSON.stringify(records), 0.1],
    ["Chinese prose", fixture("prose.chinese.txt"), 0.15],
    ["Chinese messages", messages("zh-cn"), 0.15],
    ["Japanese prose", fixture("prose.japanese.txt"), 0.15],
    ["Japanese messages", messages("ja"), 0.15],
    ["Korean messages", messages("ko"), 0.15],
  ])("counts %s like o200k_base, within the documented error", (_kind, text, limit) => {
    expect(Buffer.byteLength(text)).toBeGreaterThan(30_000);
    expect(Math.abs(error(text))).toBeLessThan(limit);
  });

  it.each<[kind: string, text: string]>([
    ["base64", base64],
    ["unspaced Cyrillic", unspacedRussian.match(/.{1,500}/gu)?.join("\n") ?? ""],
    [
      "unspaced Cyrillic in lower case",
      unspacedRussian
        .toLowerCase()
        .match(/.{1,500}/gu)
        ?.join("\n") ?? "",
    ],
  ])("is never more than a tenth too low on %s", (_kind, text) => {
    expect(text.length).toBeGreaterThan(10_000);
    expect(error(text)).toBeGreaterThan(-0.1);
  });

  it("is never more than a tenth too low on 20,000 equal letters of any kind", () => {
    const estimates = [..."abefgnqtzABGQXZабяЯéß日가"].map((letter) => {
      const period = 640;
      const tokens = (exact(letter.repeat(period)) * 20_000) / period;
      return { letter, ratio: estimatedCounter.count(letter.repeat(20_000)) / tokens };
    });
    expect(estimates.filter(({ ratio }) => ratio < 0.9)).toEqual([]);
  });

  it("has little bias on single lines of code", () => {
    const lines = typescript.split("\n").filter((line) => line.trim() !== "");
    const estimated = lines.reduce((sum, line) => sum + estimatedCounter.count(line), 0);
    const counted = lines.reduce((sum, line) => sum + exact(line), 0);
    expect(Math.abs(estimated / counted - 1)).toBeLessThan(0.06);
  });

  it("counts nothing as 0 and anything else as a whole number from 1, the same each time", () => {
    expect(estimatedCounter.count("")).toBe(0);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 60 }),
          fc.string({ unit: "grapheme", maxLength: 60 }),
        ),
        (text) => {
          const tokens = estimatedCounter.count(text);
          expect(Number.isInteger(tokens)).toBe(true);
          expect(tokens).toBe(estimatedCounter.count(text));
          expect(tokens).toBeGreaterThanOrEqual(Math.min(1, text.length));
          expect(tokens).toBeLessThanOrEqual(3 * Buffer.byteLength(text));
        },
      ),
    );
  });
});
