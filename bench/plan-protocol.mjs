// Measures plans: parsing, checking and applying them, next to writing the same files one by one; search, and the
// context of a session.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { sha256Hex } from "../packages/core/dist/index.js";
import { createScriptedModel } from "../packages/core/dist/testing/index.js";
import {
  createPlanSession,
  parsePlan,
  validatePlan,
} from "../packages/plan-protocol/dist/index.js";
import { openWorkspace } from "../packages/plan-protocol/dist/node/index.js";
import { applyRounds, writers } from "./lib/plan-apply-rounds.mjs";
import { table } from "./lib/figures.mjs";

const applySizes = [
  [10, 7],
  [100, 5],
  [200, 7],
  [1_000, 3],
];
const rounds = 9;

/** The section of RESULTS.md. */
export async function run() {
  const parts = [
    "Milliseconds to change files of 25 KB with full durability, median of interleaved rounds in one process (lowest to highest). A plan is one transaction: all or nothing, even after a power cut, with the old files kept for a rollback. The others are safe file by file, and keep nothing:",
    await applyTable(),
    `Milliseconds of the other steps, median of ${rounds} rounds:`,
    await stepTable(),
  ];
  return { title: "Plans", markdown: parts.join("\n\n") };
}

async function applyTable() {
  const names = Object.keys(writers);
  const rows = [];
  for (const [count, times] of applySizes) {
    const found = await applyRounds(count, times);
    rows.push([
      `${count} files`,
      ...names.map((name) => {
        const sorted = found[name].toSorted((a, b) => a - b);
        return `${median(sorted).toFixed(0)} (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`;
      }),
    ]);
  }
  return table(["", ...names], rows);
}

async function stepTable() {
  const rows = [];
  const add = async (name, action) => {
    const times = [];
    for (let round = 0; round < rounds + 2; round += 1) {
      const startedAt = performance.now();
      const check = await action();
      if (check !== true) throw new Error(`${name}: ${JSON.stringify(check).slice(0, 500)}`);
      if (round >= 2) times.push(performance.now() - startedAt);
    }
    rows.push([name, median(times).toFixed(1)]);
  };

  const contents = planOf(200, 25_000, 1);
  const answer = `Here it is:\n\`\`\`json\n${JSON.stringify(contents)}\n\`\`\``;
  await add(
    `parsing an answer with 200 actions, ${megabytes(answer.length)} MB`,
    () => parsePlan(answer).ok,
  );
  await add(
    `the same escaped in a string`,
    () => parsePlan(JSON.stringify(JSON.stringify(contents))).ok,
  );
  await add(
    "refusing it cut off in the middle",
    () => !parsePlan(answer.slice(0, answer.length / 2)).ok,
  );
  const created = { ...contents, context_requests: [], memory_patch: {} };
  await add(
    `checking 200 new files, 5 MB`,
    () => validatePlan(created, { mode: "apply" }).ok || "refused",
  );
  const { plan, readSet } = editsOf(200, 25_000);
  await add(
    "checking 200 edits of files of 25 KB",
    () => validatePlan(plan, { mode: "apply", readSet }).ok,
  );

  await withTree(10_000, async (root) => {
    const workspace = await openWorkspace({ root });
    const search = async (query) =>
      (await workspace.read([{ type: "search", query }])).blocks[0].text;
    await add("searching 10,000 files of 2 KB, one hit", async () =>
      (await search("needle in 9999")).includes(":2:"),
    );
    await add("the same without a hit", async () =>
      (await search("no such text")).startsWith("No hits in 10000"),
    );
    await workspace.close();
  });

  await withTree(0, async (root) => {
    const workspace = await openWorkspace({ root, durability: "off" });
    let count = 0;
    const apply = async () => {
      const action = { kind: "CREATE_FILE", path: `new/${(count += 1)}.txt`, content: "new" };
      const applied = await workspace.apply({
        version: 3,
        summary: "New.",
        actions: [action],
        context_requests: [],
        memory_patch: {},
      });
      return applied.ok || applied.issues;
    };
    await add("applying a plan of one file, without fsync", apply);
    for (let before = count; before < 2_000; before += 1) await apply();
    await add("the same after 2,000 transactions", apply);
    await workspace.close();
  });

  const report = Array.from(
    { length: 20_000 },
    (_, index) => `    at call (/w/src/${index % 50}.ts:${index}:7)`,
  ).join("\n");
  const files = `${"x".repeat(100)}\n`.repeat(3_000);
  await withTree(0, async (root) => {
    fs.mkdirSync(path.join(root, "src"));
    for (let index = 0; index < 50; index += 1)
      fs.writeFileSync(path.join(root, `src/${index}.ts`), files);
    const workspace = await openWorkspace({ root });
    const model = createScriptedModel(
      Array.from({ length: rounds + 2 }, () => '{"actions":[],"summary":"Fix it."}'),
    );
    const session = createPlanSession({ model, workspace, root: "/w" });
    await add(
      `finding, reading and cutting what a report of ${megabytes(report.length)} MB names`,
      async () => (await session.plan("fix it", { report })).ok,
    );
    await workspace.close();
  });
  return table(["", "ms"], rows);
}

function planOf(count, bytes, version) {
  const content = (index) =>
    `export const value${index} = ${index};\n`.repeat(Math.ceil(bytes / 30)).slice(0, bytes);
  const actions = Array.from({ length: count }, (_, index) => ({
    kind: "CREATE_FILE",
    path: `src/${index % 10}/${index}.ts`,
    content: content(index),
  }));
  return { version, summary: "New files.", actions };
}

function editsOf(count, bytes) {
  const readSet = new Map();
  const actions = Array.from({ length: count }, (_, index) => {
    const text = Array.from(
      { length: bytes / 25 },
      (__, line) => `const a${line} = ${index};\n`,
    ).join("");
    const file = `src/${index}.ts`;
    readSet.set(file, { sha256: sha256Hex(text), text });
    const edits = [{ before: `const a500 = ${index};\n`, after: "" }];
    return { kind: "EDIT_FILE", path: file, base_sha256: sha256Hex(text), edits };
  });
  const plan = { version: 3, summary: "Edits.", actions, context_requests: [], memory_patch: {} };
  return { plan, readSet };
}

async function withTree(count, call) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-bench-search-"));
  try {
    const line = "const value = compute(input, options);\n";
    for (let index = 0; index < count; index += 1) {
      const folder = path.join(root, `src/${index % 100}`);
      if (index < 100) fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(
        path.join(folder, `${index}.ts`),
        `// ${index}\n// needle in ${index}\n${line.repeat(50)}`,
      );
    }
    await call(root);
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { title, markdown } = await run();
  console.log(`${title}\n\n${markdown}`);
}
