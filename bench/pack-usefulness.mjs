// Measures how useful a pack is, without a model. For real commits the subject is the task and the parent's tree is the
// input. How many of the edited files does the pack show at outline depth or better? `node bench/pack-usefulness.mjs
// --repo DIR --commits N` measures any git repository; the default is this one.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { buildPack, openAliasRegistry } from "../packages/aliases/dist/index.js";
import { createBpeCounter } from "../packages/core/dist/bpe/index.js";
import { packFullText, rankFullText } from "./lib/full-text-bm25.mjs";

export const BUDGETS = [4_000, 8_000, 16_000];
const SOURCE = /\.(?:[mc]?[jt]sx?|py|go|rs|java)$/;
const TEST =
  /(?:^|\/)(?:tests?|__tests__|spec|fixtures|__fixtures__)\/|\.(?:test|spec|test-d|bench)\.|_test\.go$|(?:^|\/)test_[^/]*\.py$/;
const OUTLINED = new Set(["full", "slice", "signatures", "heads"]);

export const isSource = (path) => SOURCE.test(path) && !TEST.test(path) && !path.endsWith(".d.ts");

const git = (repository, ...args) =>
  execFileSync("git", ["-C", repository, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });

/** The newest commits with 1 to 20 edited source files that existed in the parent. */
function commitsOf(repository, limit) {
  const log = git(
    repository,
    "log",
    "--no-merges",
    "--format=%x00%H%x01%P%x01%s",
    "--name-status",
    "--no-renames",
  );
  const tasks = [];
  for (const record of log.split("\0").slice(1)) {
    const [head, ...rows] = record.trim().split("\n");
    const [, parent, task] = head.split("\x01");
    const files = rows.flatMap((row) =>
      row.startsWith("M\t") && isSource(row.slice(2)) ? [row.slice(2)] : [],
    );
    if (parent !== "" && !parent.includes(" ") && files.length > 0 && files.length <= 20)
      tasks.push({ parent, task, files });
    if (tasks.length === limit) break;
  }
  return tasks;
}

/**
 * For one task and one tree: the share of the edited files at outline depth or better, by budget, ours and full text.
 */
export async function measureTask({ root, task, files, counter }) {
  const registry = await openAliasRegistry({ root, persist: false });
  await registry.scan();
  const sources = registry.list().filter((entry) => isSource(entry.path));
  const texts = sources.map(({ path }) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const ranked = rankFullText(texts, task);
  const rows = [];
  for (const budget of BUDGETS) {
    const pack = await buildPack({ registry, task, budget, counter });
    if (pack.tokens > budget)
      throw new Error(`The pack has ${pack.tokens} tokens, the budget is ${budget}.`);
    const outlined = new Set(
      pack.entries.filter((entry) => OUTLINED.has(entry.level)).map((entry) => entry.path),
    );
    const cut = new Set(pack.entries.filter((entry) => entry.isCut).map((entry) => entry.path));
    const pasted = packFullText(ranked, { budget, counter });
    const share = (has) => files.filter(has).length / files.length;
    rows.push({
      budget,
      ours: share((path) => outlined.has(path)),
      whole: share((path) => outlined.has(path) && !cut.has(path)),
      fullText: share((path) => pasted.has(path)),
      shown: outlined.size,
    });
  }
  await registry.close();
  return { rows, sources: sources.length };
}

export const mean = (values) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const percent = (value) => `${(100 * value).toFixed(1)} %`;

export function tableOf(measured) {
  const rows = BUDGETS.map((budget, index) => {
    const column = (name) => mean(measured.map(({ rows: budgets }) => budgets[index][name]));
    return `| ${budget} | ${percent(column("ours"))} | ${percent(column("whole"))} | ${percent(column("fullText"))} | ${column("shown").toFixed(0)} |`;
  });
  return [
    "| budget (o200k tokens) | edited files at outline depth | of these uncut | BM25 filled with full text | files outlined |",
    "|---:|---:|---:|---:|---:|",
    ...rows,
  ].join("\n");
}

export async function run({
  repository = fileURLToPath(new URL("..", import.meta.url)),
  commits = 60,
} = {}) {
  const counter = await createBpeCounter("o200k_base");
  const tasks = commitsOf(repository, commits);
  if (tasks.length === 0) throw new Error(`${repository} has no commit that edits source files.`);
  const measured = [];
  for (const { parent, task, files } of tasks) {
    const root = mkdtempSync(join(tmpdir(), "ccl-usefulness-"));
    try {
      const archive = execFileSync("git", ["-C", repository, "archive", parent], {
        maxBuffer: 1 << 30,
      });
      execFileSync("tar", ["-x", "-C", root], { input: archive });
      measured.push(await measureTask({ root, task, files, counter }));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  const sources = Math.round(mean(measured.map((one) => one.sources)));
  const markdown = `${tasks.length} commits, ${sources} source files on average.\n\n${tableOf(measured)}`;
  return { title: "Usefulness of a pack: edited files of real commits", markdown };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { repo: { type: "string" }, commits: { type: "string" } },
  });
  const result = await run({
    ...(values.repo !== undefined && { repository: values.repo }),
    ...(values.commits !== undefined && { commits: Number(values.commits) }),
  });
  console.log(`${result.title}\n\n${result.markdown}`);
}
