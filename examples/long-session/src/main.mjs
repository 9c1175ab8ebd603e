// Replays a long run at several budgets, call by call: tokens, cached prefix, price, argument support, what was dropped.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { estimatedCounter } from "@ccl/core";

import { appendOnly } from "../../../bench/lib/context-policies.mjs";
import { replayTrace } from "../../../bench/lib/replay-trace.mjs";
import { compileTrace } from "./compile-trace.mjs";
import { drawChart } from "./draw-chart.mjs";
import { readTrace } from "./read-trace.mjs";

const budgets = [8_000, 16_000, 32_000];
/** The estimate is taken for exact, so that budgets are used to the last token. */
const counter = { ...estimatedCounter, name: "estimate taken for exact", isExact: true };
const output = path.resolve(import.meta.dirname, "../dist");

const trace = readTrace();
const runs = [replay({ name: "append only", policy: appendOnly() })];
for (const budget of budgets) {
  const contexts = await compileTrace(trace, { budget, counter });
  const policy = (messages) => contexts.get(messages.length).toMessages();
  runs.push(replay({ name: `${budget.toLocaleString("en")} tokens`, budget, policy, contexts }));
}
const chart = path.join(output, "long-session.svg");
mkdirSync(output, { recursive: true });
writeFileSync(chart, drawChart(`Prompt tokens of each call: ${trace.name}`, runs));
if (process.argv.includes("--json"))
  console.log(JSON.stringify({ trace: trace.name, runs, chart }));
else printRuns();
for (const run of runs.slice(1)) check(run, runs[0]);

function replay({ name, budget, policy, contexts }) {
  const calls = [];
  const onCall = ({ index, ...call }) =>
    calls.push({ ...call, dropped: droppedIn(contexts?.get(index)) });
  const { missing, ...totals } = replayTrace(trace, { policy, counter, budget, onCall });
  return { name, budget, totals, missing: missing.map(({ value }) => value), calls };
}

/** What the prompt of a call leaves out of the log, and what it shows shorter. */
function droppedIn(context) {
  const changes = context?.trace.flatMap((step) => step.changes) ?? [];
  const dropped = changes.filter(({ action }) => action === "dropped");
  return {
    messages: dropped.reduce((sum, { from, to }) => sum + to - from, 0),
    tokens: dropped.reduce(
      (sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter,
      0,
    ),
    shortened: changes.filter(({ action }) => action === "compacted" || action === "truncated")
      .length,
  };
}

function check({ name, totals }, whole) {
  assert.equal(totals.calls, whole.totals.calls, `${name}: every call was compiled`);
  assert.equal(totals.overBudget, 0, `${name}: no prompt is over its budget`);
  assert.equal(totals.invalid, 0, `${name}: every prompt is one that providers accept`);
  assert.ok(totals.price <= whole.totals.price + 1e-6, `${name}: never dearer than append only`);
  if (trace.isRecorded) return;
  assert.ok(
    totals.cachedShare > 0.9,
    `${name}: the cut is kept, and so is what the provider has in its cache`,
  );
  assert.ok(totals.support > 0.95, `${name}: what the model uses next is shown`);
}

function printRuns() {
  const head = ["call", "tokens", "cached", "price", "support", "dropped", "shortened"];
  for (const { name, calls } of runs.slice(1)) {
    console.log(`\n${name}`);
    printTable(head, calls.map(callCells));
  }
  console.log(
    `\n${trace.name}, whole: price in input-token equivalents, support of ${runs[0].totals.values} values`,
  );
  printTable(
    ["budget", "calls", "price", "cached", "largest", "over", "invalid", "support"],
    runs.map(({ name, totals }) => [
      name,
      totals.calls,
      whole(totals.price),
      percent(totals.cachedShare),
      whole(totals.largestPrompt),
      totals.overBudget,
      totals.invalid,
      percent(totals.support),
    ]),
  );
  console.log(`\nchart: ${chart}`);
}

function callCells({ tokens, cached, price, values, supported, dropped }, at) {
  const left =
    dropped.messages === 0 ? "-" : `${dropped.messages} messages, ${whole(dropped.tokens)} tokens`;
  return [
    at + 1,
    whole(tokens),
    whole(cached),
    whole(price),
    `${supported}/${values}`,
    left,
    dropped.shortened,
  ];
}

/** Numbers to the right; the head stands out on a terminal, and is plain in a pipe. */
function printTable(head, rows) {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  for (const [at, row] of cells.entries()) {
    const line = row.map((cell, column) => cell.padStart(widths[column])).join("  ");
    console.log(at === 0 && process.stdout.isTTY ? `\u001b[1m${line}\u001b[0m` : line);
  }
}

function whole(value) {
  return Math.round(value).toLocaleString("en");
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
