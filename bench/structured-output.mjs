// Reads JSON out of answers, next to the libraries that people use otherwise: right, wrong and rejected values, time
// and growth. CCL_JSON_CASES=FILE also measures a file of JSON lines { input, expected, unrepairable, partial? }.
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { pathToFileURL } from "node:url";

import { parsePartialJson } from "ai";
import { disableErrorLogging, parse as parseBestEffort } from "best-effort-json-parser";
import JSON5 from "json5";
import { jsonrepair } from "jsonrepair";
import { Allow, parse as parsePartially } from "partial-json";

import { extractJson } from "../packages/structured-output/dist/index.js";
import { malformedAnswers } from "./lib/malformed-answers.mjs";
import { table } from "./lib/figures.mjs";

const ours = "@ccl/structured-output";
const sizes = [10_000, 100_000, 1_000_000, 5_000_000];
const rounds = 9;
const peerLimitMs = 50;

const readers = {
  [ours]: (text) => {
    const result = extractJson(text);
    if (!result.ok) throw new Error(result.issues[0].code);
    return result.value.value;
  },
  "JSON.parse": (text) => JSON.parse(text),
  jsonrepair: (text) => JSON.parse(jsonrepair(text)),
  json5: (text) => JSON5.parse(text),
  "partial-json": (text) => parsePartially(text, Allow.ALL),
  "best-effort-json-parser": (text) => parseBestEffort(text),
  "AI SDK parsePartialJson": async (text) => {
    const { value, state } = await parsePartialJson(text);
    if (state !== "successful-parse" && state !== "repaired-parse") throw new Error(state);
    return value;
  },
};

disableErrorLogging();

/** The section of RESULTS.md. */
export async function run() {
  const parts = [
    "Own malformed answers by class: right / silently wrong / rejected. Rejecting is right if the answer is truncated or contains no JSON:",
    await classTable(),
  ];
  const file = process.env.CCL_JSON_CASES;
  if (file !== undefined) {
    const cases = readCases(file);
    parts.push(
      `${cases.length} public cases. Not cut off: those whose brackets and quotes balance and that their source does not call partial:`,
      await publicTable(cases),
    );
  }
  parts.push(
    `Valid JSON, time over JSON.parse alone, median of ${rounds} interleaved rounds:`,
    validTable(),
    "Milliseconds by size of hostile or malformed text, first reading. A library that took over 50 ms is not tried at ten times the size:",
    await growthTable(),
  );
  return { title: "JSON from answers", markdown: parts.join("\n\n") };
}

async function classTable() {
  const rows = [];
  const totals = Object.fromEntries(Object.keys(readers).map((name) => [name, emptyCount()]));
  for (const [name, answers] of Object.entries(malformedAnswers)) {
    const row = [`${name} (${answers.length})`];
    for (const [reader, read] of Object.entries(readers)) {
      const count = await countVerdicts(answers, read);
      for (const key of Object.keys(count)) totals[reader][key] += count[key];
      row.push(`${count.right} / ${count.wrong} / ${count.refused}`);
    }
    rows.push(row);
  }
  const sums = Object.values(totals).map(
    ({ right, wrong, refused }) => `${right} / ${wrong} / ${refused}`,
  );
  return table(["class", ...Object.keys(readers)], [...rows, ["all", ...sums]]);
}

function readCases(file) {
  const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const { input, expected, unrepairable, partial } = JSON.parse(line);
    return {
      input,
      expected: unrepairable ? undefined : expected,
      isCut: partial === true || isUnbalanced(input),
    };
  });
}

async function publicTable(cases) {
  const kept = cases.filter(({ isCut }) => !isCut);
  const cut = cases.filter(({ isCut }) => isCut);
  const rows = [];
  for (const [reader, read] of Object.entries(readers)) {
    const { right, wrong, refused } = await countVerdicts(kept, read);
    const accepted = await countVerdicts(
      cut.map(({ input }) => ({ input, expected: undefined })),
      read,
    );
    rows.push([
      reader,
      ...[right, wrong, refused].map((count) => percent(count / kept.length)),
      accepted.wrong,
    ]);
  }
  return table(
    [
      "",
      `right of ${kept.length}`,
      "silently wrong",
      "refused",
      `accepted of the other ${cut.length}`,
    ],
    rows,
  );
}

function isUnbalanced(text) {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    if (isInString && text[at] === "\\") at += 1;
    else if (text[at] === '"') isInString = !isInString;
    else if (!isInString && "{[".includes(text[at])) depth += 1;
    else if (!isInString && "}]".includes(text[at])) depth -= 1;
  }
  return isInString || depth > 0;
}

const emptyCount = () => ({ right: 0, wrong: 0, refused: 0 });

async function countVerdicts(answers, read) {
  const count = emptyCount();
  for (const { input, expected } of answers) count[await verdict(input, expected, read)] += 1;
  return count;
}

async function verdict(input, expected, read) {
  let value;
  try {
    value = await read(input);
  } catch {
    return expected === undefined ? "right" : "refused";
  }
  if (value === undefined) return expected === undefined ? "right" : "refused";
  return expected !== undefined && isDeepStrictEqual(plain(value), plain(expected))
    ? "right"
    : "wrong";
}

const plain = (value) => JSON.parse(JSON.stringify(value));

function validTable() {
  const rows = [10_000, 1_000_000, 5_000_000].map((size) => {
    const text = validText(size);
    const calls = Math.max(1, Math.round(2_000_000 / size));
    const ratios = [];
    for (let round = 0; round < rounds + 3; round += 1) {
      const base = timeOf(() => JSON.parse(text), calls);
      const time = timeOf(() => extractJson(text), calls);
      if (round >= 3) ratios.push(time / base);
    }
    return [
      `${size / 1000} KB`,
      ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)].toFixed(2),
    ];
  });
  return table(["size", "ratio"], rows);
}

function validText(size) {
  const item = {
    id: 17,
    type: "EDIT_FILE",
    path: "src/index.ts",
    tags: ["a", "b"],
    content: "const a = 1;\n".repeat(12),
  };
  const count = Math.round(size / (JSON.stringify(item).length + 1));
  return JSON.stringify({ actions: Array.from({ length: count }, (_, id) => ({ ...item, id })) });
}

function timeOf(action, calls = 1) {
  const startedAt = performance.now();
  for (let call = 0; call < calls; call += 1) action();
  return performance.now() - startedAt;
}

const fill = (part, size) => part.repeat(Math.ceil(size / part.length));
const growthClasses = {
  "HTML with unescaped quotes": (size) =>
    `{"html": "${fill('<a class="b" href="c">x, "y"</a> ', size)}"}`,
  "the same, cut off": (size) => `{"html": "${fill('<a class="b" href="c">x</a> ', size)}`,
  "Python literals": (size) => `[${fill("{'a': True, 'b': None},\n", size)}]`,
  "raw line breaks": (size) => `{"code": "${fill("let a = 1;\n", size)}"}`,
  "open brackets": (size) => fill("[", size),
  "open objects": (size) => fill('{"a":', size),
  "brackets in prose": (size) => fill("see [a] and {b} (c) ", size),
  "quotation marks": (size) => `["${fill('" ', size)}`,
  "comments in strings": (size) => `{"a": "${fill('/*"/**/', size)}`,
  "JSON Lines": (size) => fill('{"a":1,"b":"x"}\n', size),
};

async function growthTable() {
  const names = [ours, "jsonrepair"];
  const rows = [];
  for (const [name, make] of Object.entries(growthClasses)) {
    const row = [name];
    for (const reader of names) row.push(...(await growthOf(readers[reader], make)));
    rows.push(row);
  }
  const columns = names.flatMap((name) => sizes.map((size) => `${name} ${size / 1000} KB`));
  return table(["text", ...columns], rows);
}

async function growthOf(read, make) {
  const cells = [];
  let last = 0;
  for (const size of sizes) {
    if (read !== readers[ours] && last > peerLimitMs) {
      cells.push("-");
      continue;
    }
    const text = make(size);
    let isOverflow = false;
    const startedAt = performance.now();
    try {
      await read(text);
    } catch (error) {
      isOverflow = error instanceof RangeError;
    }
    last = performance.now() - startedAt;
    cells.push(isOverflow ? "stack overflow" : last.toFixed(last < 10 ? 1 : 0));
  }
  return cells;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { title, markdown } = await run();
  console.log(`${title}\n\n${markdown}`);
}
