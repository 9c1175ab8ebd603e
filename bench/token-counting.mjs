// Compares counters on the same texts, in one process: error against o200k_base, speed, and runs without a break.
import fs from "node:fs";
import path from "node:path";

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { Tiktoken } from "js-tiktoken/lite";
import o200kRanks from "js-tiktoken/ranks/o200k_base";
import { get_encoding as getEncoding } from "tiktoken";
import { estimateTokenCount } from "tokenx";

import { createBpeCounter } from "../packages/core/dist/bpe/index.js";
import { estimatedCounter } from "../packages/core/dist/index.js";
import { wordCounter } from "../packages/core/dist/testing/index.js";
import { table } from "./lib/figures.mjs";

const here = import.meta.dirname;
const rounds = 7;
const asText = { disallowedSpecial: new Set() };
const reference = "gpt-tokenizer";

/** The section of RESULTS.md. */
export async function run() {
  const counters = await createCounters();
  const texts = readTexts();
  const measured = texts.map((text) => ({ ...text, ...measureText(text, counters) }));
  const markdown = [
    "Error against o200k_base (tiktoken), in percent; every text has 30 kB or more:",
    table(["Counter", ...texts.map(({ name }) => name)], errorRows(counters, measured)),
    `MB of UTF-8 per second, median of ${rounds} interleaved rounds in one process after two to warm up, and the median of the ratios to ${reference}:`,
    table(["Counter", ...texts.map(({ name }) => name), "ratio"], speedRows(counters, measured)),
    "Milliseconds for one unbroken run, first count. If a tenth of a run took over 30 ms, the table shows that:",
    table(["Counter", ...hostileRuns().map(({ name }) => name)], hostileRows(counters)),
  ].join("\n\n");
  return { title: "Token counting", markdown };
}

async function createCounters() {
  const bpe = await createBpeCounter("o200k_base");
  const native = getEncoding("o200k_base");
  const plain = new Tiktoken(o200kRanks);
  return [
    { name: "estimatedCounter", count: (text) => estimatedCounter.count(text) },
    { name: "createBpeCounter", count: (text) => bpe.count(text) },
    { name: reference, count: (text) => countTokens(text, asText) },
    { name: "js-tiktoken", count: (text) => plain.encode(text, [], []).length },
    {
      name: "tiktoken (WASM)",
      count: (text) => native.encode_ordinary(text).length,
      isTruth: true,
    },
    { name: "tokenx", count: (text) => estimateTokenCount(text) },
    { name: "words x 1.3", count: (text) => wordCounter.count(text) },
    { name: "characters / 4", count: (text) => Math.ceil(text.length / 4) },
  ];
}

function readTexts() {
  const fixtures = path.join(here, "../packages/core/src/tokens/__fixtures__");
  const prose = ["english", "russian", "chinese", "japanese"].map((language) => ({
    name: language,
    text: fs.readFileSync(path.join(fixtures, `prose.${language}.txt`), "utf8"),
  }));
  const data = JSON.parse(fs.readFileSync(path.join(here, "node_modules/mime-db/db.json"), "utf8"));
  return [
    ...prose,
    { name: "TypeScript", text: zodSources() },
    { name: "JSON", text: JSON.stringify(data, null, 2) },
    { name: "minified JSON", text: JSON.stringify(data) },
    { name: "base64", text: randomRun(60_000, (index) => base64Digits.charCodeAt(index % 64)) },
  ];
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function zodSources() {
  const root = path.join(here, "node_modules/zod/src");
  const files = fs.readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".ts"));
  const plain = files
    .filter((name) => !/(?:tests|locales|benchmarks)[\\/]|\.test\.ts$/.test(name))
    .sort();
  return plain.map((name) => fs.readFileSync(path.join(root, name), "utf8")).join("\n");
}

/** Characters from a fixed linear congruential sequence, so that every machine counts the same text. */
function randomRun(length, codeOf) {
  let state = 7;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  return Array.from({ length }, () => String.fromCharCode(codeOf(next() >> 8))).join("");
}

function hostileRuns() {
  return [
    { name: "20,000 equal letters", text: "a".repeat(20_000) },
    { name: "20,000 random letters", text: randomRun(20_000, (index) => 0x61 + (index % 26)) },
    { name: "14,000 ideographs", text: randomRun(14_000, (index) => 0x4e00 + (index % 20_000)) },
    { name: "10,000 Cyrillic letters", text: randomRun(10_000, (index) => 0x430 + (index % 32)) },
  ];
}

function measureText({ text }, counters) {
  const times = new Map(counters.map(({ name }) => [name, []]));
  const tokens = new Map();
  for (let round = -2; round < rounds; round++) {
    for (const { name, count } of counters) {
      const startedAt = performance.now();
      tokens.set(name, count(text));
      if (round >= 0) times.get(name).push(performance.now() - startedAt);
    }
  }
  const megabytes = Buffer.byteLength(text) / 1e6;
  const speeds = new Map(
    [...times].map(([name, values]) => [name, (megabytes / median(values)) * 1e3]),
  );
  return { tokens, speeds };
}

function errorRows(counters, measured) {
  const truth = counters.find(({ isTruth }) => isTruth).name;
  return counters.map(({ name }) => [
    name,
    ...measured.map(({ tokens }) => percent(tokens.get(name) / tokens.get(truth) - 1)),
  ]);
}

function speedRows(counters, measured) {
  return counters.map(({ name }) => {
    const ratios = measured.map(({ speeds }) => speeds.get(name) / speeds.get(reference));
    return [
      name,
      ...measured.map(({ speeds }) => speeds.get(name).toFixed(1)),
      `${median(ratios).toFixed(1)} x`,
    ];
  });
}

function hostileRows(counters) {
  return counters.map(({ name, count }) => [
    name,
    ...hostileRuns().map(({ text }) => {
      const tenth = timeOf(() => count(text.slice(0, text.length / 10)));
      if (tenth > 30) return `${tenth.toFixed(0)} (for ${(text.length / 10).toLocaleString("en")})`;
      return timeOf(() => count(text)).toFixed(1);
    }),
  ]);
}

function timeOf(action) {
  const startedAt = performance.now();
  action();
  return performance.now() - startedAt;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function percent(share) {
  const text = (share * 100).toFixed(1);
  return share > 0 && text !== "0.0" ? `+${text}` : text.replace("-0.0", "0.0");
}
