// Replays a long run at several budgets: what each prompt shows of the log, what it costs, and what the model used and
// saw.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { estimatedCounter } from "@ccl/core";

import { compileTrace } from "./compile-trace.mjs";
import { drawChart } from "./draw-chart.mjs";
import { readTrace } from "./read-trace.mjs";
import { createMessageCounter, replayTrace } from "./replay-trace.mjs";
import { drawMap, gone, listPrompt, shortened, visibleParts, whole } from "./visible-parts.mjs";

const budgets = [8_000, 16_000, 32_000];
/** Treats the estimate as exact, so that budgets are used to the last token. */
const counter = { ...estimatedCounter, name: "estimate taken for exact", isExact: true };
const output = path.resolve(import.meta.dirname, "../dist");

const trace = readTrace();
const countOf = createMessageCounter(counter);
const sizes = trace.messages.map(countOf);
const runs = [replay({ name: "append only", policy: (messages) => messages })];
for (const budget of budgets) {
  const contexts = await compileTrace(trace, { budget, counter });
  const policy = (messages) => contexts.get(messages.length).toMessages();
  const run = replay({ name: `${budget.toLocaleString("en")} tokens`, budget, policy, contexts });
  const rows = [...contexts].map(([index, context]) => visibleParts(context, index));
  runs.push({ ...run, rows, last: [...contexts.values()].at(-1) });
}
const chart = path.join(output, "long-session.svg");
mkdirSync(output, { recursive: true });
const panels = runs.slice(1).map(({ name, rows }) => ({ title: `Budget ${name}`, rows }));
writeFileSync(chart, drawChart(`What each prompt shows: ${trace.name}`, { panels, sizes }));
if (process.argv.includes("--json")) {
  const plain = runs.map((run) => ({ ...run, last: run.last?.toMessages() }));
  console.log(JSON.stringify({ trace: trace.name, runs: plain, chart }));
} else printRuns();
for (const run of runs.slice(1)) check(run, runs[0]);

function replay({ name, budget, policy, contexts }) {
  const calls = [];
  const onCall = ({ index, ...call }) =>
    calls.push({ ...call, dropped: droppedIn(contexts?.get(index)) });
  const { missing, ...totals } = replayTrace(trace, { policy, counter, budget, onCall });
  return { name, budget, totals, missing: missing.map(({ value }) => value), calls };
}

/** The messages that a call's prompt omits, and those that it shows shortened. */
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

function check({ name, totals, rows, last }, all) {
  assert.equal(totals.calls, all.totals.calls, `${name}: every call was compiled`);
  assert.equal(totals.overBudget, 0, `${name}: no prompt is over its budget`);
  assert.equal(totals.invalid, 0, `${name}: every prompt is one that providers accept`);
  assert.ok(totals.price <= all.totals.price + 1e-6, `${name}: never dearer than append only`);
  const task = trace.messages.findIndex(({ role }) => role === "user");
  assert.ok(
    rows.every((states) => states[task] !== gone && states.at(-1) !== gone),
    `${name}: the task and the last message are always shown`,
  );
  // Recorded texts are stored without their secrets and trailing spaces.
  if (trace.isRecorded) return;
  const shownWhole = JSON.stringify(last.toMessages());
  const states = rows.at(-1);
  assert.ok(
    states.every(
      (state, at) =>
        state !== whole || shownWhole.includes(JSON.stringify(trace.messages[at].content)),
    ),
    `${name}: what the map calls whole stands in the prompt`,
  );
  assert.ok(
    totals.cachedShare > 0.9,
    `${name}: the cut is kept, and so is what the provider has in its cache`,
  );
  assert.ok(totals.support > 0.95, `${name}: what the model uses next is shown`);
}

function printRuns() {
  const all = runs[0].totals;
  console.log(
    `A ${trace.name}: ${trace.messages.length} messages, ${number(all.largestPrompt)} tokens, ${all.calls} calls of the model.`,
  );
  console.log(
    "\nWhat the prompts show. A row is a prompt, from the first message on the left to the newest on the right:\n█ whole  ▓ nearly  ░ shortened or in parts  · left out",
  );
  for (const { name, rows } of runs.slice(1)) {
    console.log(`\nbudget ${name}\n  call`);
    console.log(drawMap(rows, { sizes, width: 72, height: 12 }));
  }
  const [, smallest] = runs;
  console.log(
    `\nThe last prompt at ${smallest.name}: ${summaryOf(smallest.rows.at(-1))}. Its messages, with their tokens:\n`,
  );
  console.log(listPrompt(smallest.last, { width: 118, edge: 7, countOf }));
  if (process.argv.includes("--calls")) printCalls();
  console.log(
    `\nWhat that costs, in input tokens (a cached one is 0.1, a new one 1.25), and how many of the ${all.values} values that\nthe model then wrote, and had read before, its prompts still showed ("support"):\n`,
  );
  printTable(
    ["budget", "calls", "price", "cached", "largest", "over", "invalid", "support"],
    runs.map(({ name, totals }) => [
      name,
      totals.calls,
      number(totals.price),
      percent(totals.cachedShare),
      number(totals.largestPrompt),
      totals.overBudget,
      totals.invalid,
      percent(totals.support),
    ]),
  );
  console.log(`\nchart: ${chart}`);
}

function printCalls() {
  const head = ["call", "tokens", "cached", "price", "support", "dropped", "shortened"];
  for (const { name, calls } of runs.slice(1)) {
    console.log(`\n${name}`);
    printTable(head, calls.map(callCells));
  }
}

function summaryOf(states) {
  const count = (wanted) => states.filter((state) => state === wanted).length;
  return `of ${states.length} messages, ${count(gone)} are left out and ${count(shortened)} shortened`;
}

function callCells({ tokens, cached, price, values, supported, dropped }, at) {
  const left =
    dropped.messages === 0 ? "-" : `${dropped.messages} messages, ${number(dropped.tokens)} tokens`;
  return [
    at + 1,
    number(tokens),
    number(cached),
    number(price),
    `${supported}/${values}`,
    left,
    dropped.shortened,
  ];
}

/** Right-aligns numbers. The header is highlighted on a terminal, and plain in a pipe. */
function printTable(head, rows) {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  for (const [at, row] of cells.entries()) {
    const line = row.map((cell, column) => cell.padStart(widths[column])).join("  ");
    console.log(at === 0 && process.stdout.isTTY ? `\u001b[1m${line}\u001b[0m` : line);
  }
}

function number(value) {
  return Math.round(value).toLocaleString("en");
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
