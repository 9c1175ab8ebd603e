// Measures what a model sees of tool output in a given space: what is retained, what one search finds again, what is
// lost; error templates of labelled logs; the time for 5 MB. Head and tail, minified JSON and TOON of the same size run
// next to it. `node bench/tool-output.mjs DATA [--verbose]`: DATA contains outputs/outputs.jsonl, outputs/incident.json
// and logs/*.log next to *.templates.jsonl; CCL_BENCH_DATA can replace it. A hash splits names into two halves: tune on
// the first.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { compress, searchContent } from "../packages/compress/dist/index.js";
import { estimatedCounter as counter } from "../packages/core/dist/index.js";

const halves = ["tuned on", "kept back"];

/** The section of RESULTS.md. */
export async function run({ data = process.env.CCL_BENCH_DATA, isVerbose = false } = {}) {
  if (data === undefined)
    throw new Error("Say which folder holds the data, or set CCL_BENCH_DATA.");
  const toon = await import("@toon-format/toon").catch(() => undefined);
  const outputs = jsonLines(join(data, "outputs/outputs.jsonl"));
  const methods = { compress, "head and tail": headAndTail, "minified JSON": minified };
  if (toon !== undefined) methods.TOON = (text, room) => headAndTail(toToon(toon, text), room);
  const sections = [
    retained(outputs, methods, isVerbose),
    templates(join(data, "logs"), { ...methods, masking }, isVerbose),
    lossless(outputs, toon),
    oneSearch(outputs, isVerbose),
    incident(JSON.parse(readFileSync(join(data, "outputs/incident.json"), "utf8"))),
    times(inputsOf(data, outputs), isVerbose),
  ];
  return { title: "Tool output", markdown: sections.join("\n\n") };
}

/** 0 or 1, by FNV-1a of the name. */
function halfOf(name) {
  let hash = 0x811c9dc5;
  for (const char of name) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193);
  return ((hash >>> 16) ^ hash) & 1;
}

function jsonLines(file) {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The control: as many tokens from the beginning as from the end. */
function headAndTail(text, { budget }) {
  if (counter.count(text) <= budget) return { text };
  let chars = budget * 4;
  let shown = "";
  do {
    shown = `${text.slice(0, chars)}\n[...]\n${text.slice(-chars)}`;
    chars = Math.floor(chars * 0.95);
  } while (counter.count(shown) > budget);
  return { text: shown };
}

/**
 * The control for logs: one line of each masked form without leading columns that repeat or contain digits, errors
 * first.
 */
function masking(text, { budget }) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const columns = Array.from({ length: 8 }, (_, at) => {
    const words = lines.map((line) => line.trim().split(/\s+/)[at] ?? "");
    const numbered = words.filter((word) => /\d/.test(word)).length;
    return numbered >= 0.9 * lines.length || new Set(words).size <= 0.02 * lines.length;
  });
  const depth = columns.includes(false) ? columns.indexOf(false) : columns.length;
  const header = new RegExp(`^\\s*(?:\\S+\\s*){${depth}}`);
  const forms = new Map();
  for (const line of lines) {
    const message = line.replace(header, "");
    const form = message.replace(/0x[\da-f]+|\d+/gi, "#");
    if (!forms.has(form)) forms.set(form, message.slice(0, 80));
  }
  const words =
    /error|fail|fatal|exception|denied|invalid|unable|warn|time(?:d )?out|refused|cannot|abort|corrupt/i;
  const order = [...forms]
    .toSorted(([a], [b]) => words.test(b) - words.test(a))
    .map(([, line]) => line);
  while (counter.count(order.join("\n")) > budget) order.length -= Math.ceil(order.length / 100);
  return { text: order.join("\n") };
}

function minified(text, room) {
  const value = parse(text);
  return headAndTail(value === undefined ? text : JSON.stringify(value), room);
}

/** With the settings that take the fewest tokens for this text. */
function toToon(toon, text) {
  const value = parse(text);
  if (value === undefined) return text;
  const forms = [",", "\t", "|"].flatMap((delimiter) =>
    ["off", "safe"].map((keyFolding) => toon.encode(value, { delimiter, keyFolding })),
  );
  return forms.toSorted((a, b) => counter.count(a) - counter.count(b))[0];
}

/** JSON, also as JSON lines. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    } catch {
      return undefined;
    }
  }
}

const share = (part, all) =>
  all === 0 ? "-" : `${part} of ${all} (${((100 * part) / all).toFixed(1)} %)`;

function table(header, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Needles in sight, those that one search for the question finds in 400 tokens, and those that are neither. */
function retained(outputs, methods, isVerbose) {
  const rows = [300, 600, 1200].flatMap((budget) =>
    Object.entries(methods).flatMap(([method, shorten]) => {
      const counts = outputs.map((output) => {
        const { name, text, ask, needles } = output;
        const shown = shorten(text, { budget, query: ask, counter });
        if (counter.count(shown.text) > budget) throw new Error(`${name} is above its budget`);
        const missing = Object.values(needles).filter((needle) => !shown.text.includes(needle));
        // Only stored text can be searched. A text that was merely cut has no way back.
        const hits = method === "compress" ? searchContent(text, { query: ask, counter }).text : "";
        if (isVerbose && method === "compress" && missing.length > 0)
          console.log(`${budget} ${name}: not shown ${missing.join(", ")}`);
        const found = missing.filter((needle) => hits.includes(needle)).length;
        return { name, all: Object.keys(needles).length, missing: missing.length, found };
      });
      return halves.map((half, at) => {
        const own = counts.filter(({ name }) => halfOf(name) === at);
        const [all, missing, found] = ["all", "missing", "found"].map((key) => addUp(own, key));
        return [budget, method, half, share(all - missing, all), found, missing - found];
      });
    }),
  );
  const header = ["tokens", "method", "half", "shown", "found again by one search", "lost"];
  return `Facts planted in tool output:\n\n${table(header, rows)}`;
}

function addUp(rows, key) {
  return rows.reduce((sum, row) => sum + row[key], 0);
}

function templates(folder, methods, isVerbose) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".log"));
  const rows = [0.02, 0.025].flatMap((size) =>
    ["compress", "masking", "head and tail"].flatMap((method) => {
      const counts = files.map((file) => {
        const text = readFileSync(join(folder, file), "utf8");
        const budget = Math.floor(counter.count(text) * size);
        const shown = methods[method](text, { budget, counter }).text;
        const labels = jsonLines(join(folder, file.replace(/log$/, "templates.jsonl")));
        const isShown = ({ samples }) => samples.some((sample) => shown.includes(sample));
        const errors = labels.filter(({ isError }) => isError);
        const own = {
          file,
          errors: errors.length,
          all: labels.length,
          errorsShown: errors.filter(isShown).length,
          shown: labels.filter(isShown).length,
        };
        if (isVerbose) console.log(size, method, JSON.stringify(own));
        return own;
      });
      return [0, 1, undefined].map((half) => {
        const own = counts.filter(({ file }) => half === undefined || halfOf(file) === half);
        const [errors, all] = ["errors", "all"].map((key) => addUp(own, key));
        const [errorsShown, shown] = ["errorsShown", "shown"].map((key) => addUp(own, key));
        const name = halves[half] ?? "both";
        return [`${size * 100} %`, method, name, share(errorsShown, errors), share(shown, all)];
      });
    }),
  );
  const header = ["size", "method", "half", "templates with errors", "all templates"];
  return `Templates of labelled logs:\n\n${table(header, rows)}`;
}

/** JSON with nothing left out. */
function lossless(outputs, toon) {
  const sums = { "as it came": 0, "minified JSON": 0, TOON: 0, compress: 0 };
  for (const { text } of outputs) {
    const value = parse(text);
    if (value === undefined) continue;
    sums["as it came"] += counter.count(text);
    sums["minified JSON"] += counter.count(JSON.stringify(value));
    if (toon !== undefined) sums.TOON += counter.count(toToon(toon, text));
    sums.compress += compress(text, { budget: 1e9, counter }).tokens;
  }
  const all = sums["as it came"];
  const rows = Object.entries(sums).map(([name, tokens]) => [
    name,
    tokens,
    `${((100 * tokens) / all - 100).toFixed(0)} %`,
  ]);
  return `JSON without loss:\n\n${table(["form", "tokens", "change"], rows)}`;
}

function oneSearch(outputs, isVerbose) {
  const rows = halves.map((half, at) => {
    const answers = outputs
      .filter(({ name }) => halfOf(name) === at)
      .flatMap(({ name, text, finds }) =>
        finds.map(({ query, expect }) => {
          const { text: answer, tokens } = searchContent(text, { query, counter });
          const isFound = answer.includes(expect);
          if (isVerbose && !isFound) console.log(`${name}: ${query} does not find ${expect}`);
          return { tokens, isFound };
        }),
      );
    const found = answers.filter(({ isFound }) => isFound).length;
    return [half, share(found, answers.length), middle(answers.map(({ tokens }) => tokens))];
  });
  return `What one search finds:\n\n${table(["half", "found", "median tokens"], rows)}`;
}

function middle(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

/** headroom's figures come from its README, on its own data. They show how far others go, not a common set. */
function incident({ messages, errors }) {
  const asked = messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content)
    .join("\n");
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  const before = counter.count(results.join("\n"));
  const rowOf = (name, shorten, budget) => {
    const text = results
      .map((result) => shorten(result, { budget, query: asked, counter }).text)
      .join("\n");
    const kept = errors.filter((error) => text.includes(error)).length;
    return [name, before, counter.count(text), share(kept, errors.length)];
  };
  const budgets = [1600, 2500, 6000];
  const rows = [
    ...budgets.map((budget) => rowOf(`compress, ${budget} a result`, compress, budget)),
    ...budgets.map((budget) => rowOf(`head and tail, ${budget} a result`, headAndTail, budget)),
    ["headroom, SRE (published)", 65_694, 5_118, "82 of 82"],
    ["headroom, code search (published)", 17_765, 1_408, "not said"],
  ];
  return `Errors in the results of an incident:\n\n${table(["method", "tokens before", "after", "errors shown"], rows)}`;
}

function large(text) {
  return text.repeat(Math.ceil(5_000_000 / text.length)).slice(0, 5_000_000);
}

function inputsOf(data, outputs) {
  const words = ["alpha", "bravo", "delta", "gamma", "kappa", "sigma", "theta", "omega"];
  return {
    ...Object.fromEntries(
      outputs.filter(({ kind }) => kind !== "json").map(({ name, text }) => [name, large(text)]),
    ),
    json: JSON.stringify(
      Array.from({ length: 30_000 }, (_, at) => ({
        id: at,
        name: `order ${at}`,
        state: at % 7 === 0 ? "open" : "paid",
        total: (at * 7919) % 1000,
        note: "left with a neighbour ".repeat(4),
      })),
    ),
    log: large(readFileSync(join(data, "logs/Hadoop.log"), "utf8")),
    yaml: large(
      "services:\n  web:\n    image: nginx\n    ports:\n      - 80\n    env:\n      KEY: value\n",
    ),
    "one line": "x".repeat(5_000_000),
    "one line of words": large(words.join(" ")),
    "five million blank lines": "\n".repeat(5_000_000),
    "blank lines of blanks": large(`${" ".repeat(79)}\n`),
    brackets: "[".repeat(5_000_000),
    "JSON that nests": `${'{"a":'.repeat(800_000)}1${"}".repeat(800_000)}`,
    "indented ever deeper": Array.from({ length: 3_100 }, (_, at) => `${" ".repeat(at)}key:`).join(
      "\n",
    ),
    "tags that never end": large("<!doctype html><html><div <!-- <script "),
    "quotes that never end": large('error: "'),
    "paths of slashes": large("a/b/c/d/e/f/g/h/"),
    "lines that are nearly equal": Array.from(
      { length: 80_000 },
      (_, at) => `the worker ${at} took job ${at * 7} from the queue q${at % 3} and ended ok`,
    ).join("\n"),
    "a hundred thousand columns": `${"a,".repeat(100_000)}b\n${`${"1,".repeat(100_000)}2\n`.repeat(24)}`,
    "different words": Array.from({ length: 600_000 }, (_, at) =>
      ((at * 2654435761) >>> 0).toString(36),
    ).join("\n"),
  };
}

/**
 * Next to the time of the same run to split the text into words, because machines differ. Processor time includes all
 * threads.
 */
function times(inputs, isVerbose) {
  const rows = [];
  const above = { wall: 0, processor: 0 };
  for (const [name, text] of Object.entries(inputs)) {
    const timeOf = (work) => {
      const started = performance.now();
      const before = process.cpuUsage();
      const result = work();
      const { user, system } = process.cpuUsage(before);
      return { result, time: performance.now() - started, cpu: (user + system) / 1000 };
    };
    const yardstick = timeOf(() => text.split(/\s+/).length).cpu;
    const query = "Why does order 4711 fail?";
    const whole = timeOf(() => compress(text, { budget: 1200, query, counter }));
    const half = timeOf(() =>
      compress(text.slice(0, text.length / 2), { budget: 1200, query, counter }),
    );
    const found = timeOf(() => searchContent(text, { query, counter }));
    above.wall += Number(whole.time > 500);
    above.processor += Number(whole.cpu > 500);
    rows.push([name, whole.result.kind, whole.time, whole.cpu, half.cpu, found.cpu, yardstick]);
  }
  rows.sort((a, b) => b[3] - a[3]);
  const shown = (isVerbose ? rows : rows.slice(0, 6)).map(([name, kind, ...all]) => [
    name,
    kind,
    ...all.map((time) => time.toFixed(0)),
  ]);
  const header = [
    "5 MB of",
    "kind",
    "compress, ms",
    "processor",
    "half of it",
    "a search",
    "split into words",
  ];
  return `Of ${rows.length} inputs ${above.wall} take more than 500 ms, ${above.processor} of them in processor time; the slowest:\n\n${table(header, shown)}`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const data = process.argv.slice(2).find((word) => !word.startsWith("--"));
  const { markdown } = await run({ data, isVerbose: process.argv.includes("--verbose") });
  console.log(markdown);
}
