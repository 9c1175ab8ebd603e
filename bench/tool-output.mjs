// What a model sees of tool output: needles, error templates, what one search finds, and the time for 5 MB.
// node bench/tool-output.mjs DATA, a folder with outputs/outputs.jsonl, outputs/incident.json and logs/*.log beside *.templates.jsonl
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { estimatedCounter } from "@ccl/core";
import { compress, searchContent } from "@ccl/compress";

const data = process.argv[2] ?? process.env.CCL_BENCH_DATA;
if (data === undefined)
  throw new Error("Say which folder holds the data: node bench/tool-output.mjs DATA");
const isVerbose = process.argv.includes("--verbose");
const jsonLines = (file) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const counter = estimatedCounter;

/** The control: as many tokens from the beginning as from the end. */
function headAndTail(text, { budget }) {
  let chars = budget * 2;
  let shown = "";
  do {
    shown = `${text.slice(0, chars)}\n[...]\n${text.slice(-chars)}`;
    chars = Math.floor(chars * 0.9);
  } while (counter.count(shown) > budget);
  return { text: shown };
}

const share = (part, all) => `${part} of ${all} (${((100 * part) / all).toFixed(1)} %)`;

function needles(method) {
  let found = 0;
  let all = 0;
  for (const { name, text, ask, needles: wanted } of jsonLines(
    join(data, "outputs/outputs.jsonl"),
  )) {
    const shown = method(text, { budget: 1200, query: ask, counter });
    if (counter.count(shown.text) > 1200) throw new Error(`${name} is above its budget`);
    const missing = Object.entries(wanted).filter(([, needle]) => !shown.text.includes(needle));
    found += Object.keys(wanted).length - missing.length;
    all += Object.keys(wanted).length;
    if (isVerbose && method === compress)
      console.log(
        name.padEnd(18),
        shown.kind.padEnd(10),
        shown.tokens,
        shown.shown,
        shown.omitted,
        missing.map(([key]) => key).join(" "),
      );
  }
  return share(found, all);
}

function templates(method, size) {
  const sums = { errors: [0, 0], all: [0, 0] };
  for (const file of readdirSync(join(data, "logs")).filter((name) => name.endsWith(".log"))) {
    const text = readFileSync(join(data, "logs", file), "utf8");
    const shown = method(text, { budget: Math.floor(counter.count(text) * size), counter }).text;
    const own = { errors: [0, 0], all: [0, 0] };
    for (const { isError, samples } of jsonLines(
      join(data, "logs", file.replace(/log$/, "templates.jsonl")),
    )) {
      const isShown = samples.some((sample) => shown.includes(sample));
      for (const part of isError ? ["errors", "all"] : ["all"]) {
        own[part][0] += Number(isShown);
        own[part][1] += 1;
      }
    }
    if (isVerbose && method === compress)
      console.log(file.padEnd(14), own.errors.join("/"), own.all.join("/"));
    for (const part of ["errors", "all"]) for (const at of [0, 1]) sums[part][at] += own[part][at];
  }
  return `errors ${share(...sums.errors)}, all ${share(...sums.all)}`;
}

console.log(`needles at 1,200 tokens: ${needles(compress)}; head and tail ${needles(headAndTail)}`);
for (const size of [0.02, 0.025])
  console.log(
    `templates at ${size * 100} %: ${templates(compress, size)}; head and tail ${templates(headAndTail, size)}`,
  );

const incident = JSON.parse(readFileSync(join(data, "outputs/incident.json"), "utf8"));
const asked = incident.messages
  .filter(({ role }) => role === "user")
  .map(({ content }) => content)
  .join("\n");
const results = incident.messages.filter(({ role }) => role === "tool");
for (const budget of [1500, 2500, 6000]) {
  const shown = results.map(({ content }) => compress(content, { budget, query: asked, counter }));
  const text = shown.map((each) => each.text).join("\n");
  console.log(
    `incident at ${budget} a result: ${share(incident.errors.filter((error) => text.includes(error)).length, incident.errors.length)} errors in ${counter.count(text)} tokens of ${counter.count(results.map(({ content }) => content).join("\n"))}`,
  );
}

const finds = jsonLines(join(data, "outputs/outputs.jsonl")).flatMap(
  ({ name, text, finds: asked }) =>
    asked.map(({ query, expect }) => {
      const { text: answer, tokens } = searchContent(text, { query });
      if (isVerbose && !answer.includes(expect))
        console.log(name, JSON.stringify(query), JSON.stringify(expect), answer.slice(0, 300));
      return { tokens, isFound: answer.includes(expect) };
    }),
);
const middle = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
console.log(
  `one search: ${share(finds.filter(({ isFound }) => isFound).length, finds.length)} found, median ${middle(finds.map(({ tokens }) => tokens))} tokens`,
);

const large = (text) => text.repeat(Math.ceil(5_000_000 / text.length)).slice(0, 5_000_000);
const inputs = {
  ...Object.fromEntries(
    jsonLines(join(data, "outputs/outputs.jsonl"))
      .filter(({ kind }) => kind !== "json")
      .map(({ name, text }) => [name, large(text)]),
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
  "one line": "x".repeat(5_000_000),
  "empty lines": "\n".repeat(5_000_000),
  brackets: "[".repeat(5_000_000),
  "different words": Array.from({ length: 600_000 }, (_, at) =>
    ((at * 2654435761) >>> 0).toString(36),
  ).join("\n"),
};
const times = [];
for (const [name, text] of Object.entries(inputs)) {
  const started = performance.now();
  const shown = compress(text, { budget: 1200, query: "Why does order 4711 fail?", counter });
  times.push([name, shown.kind, performance.now() - started]);
}
times.sort((a, b) => b[2] - a[2]);
for (const [name, kind, time] of isVerbose ? times : times.slice(0, 5))
  console.log(`5 MB of ${name} (${kind}): ${time.toFixed(0)} ms`);
