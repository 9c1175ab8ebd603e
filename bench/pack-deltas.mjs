// Checks if a model can work from a delta. For real commits: a base pack of the parent's tree, then the delta of the
// commit within its own budget. Each edited file that the pack shows in full is rebuilt from only these two texts, by
// the hunks under its name. How many equal the file after the commit byte for byte? The control drops the last hunk of
// each file, and must rebuild none. `node bench/pack-deltas.mjs [--repo DIR] [--commits N] [--budget N]`; the default
// is this repository.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import {
  buildPack,
  computeDelta,
  openAliasRegistry,
  renderDelta,
  takeSnapshot,
} from "../packages/aliases/dist/index.js";
import { createBpeCounter } from "../packages/core/dist/bpe/index.js";

const MAX_FILES = 20;
/**
 * Limits the files next to the edited ones, which do not matter here, so that a commit takes seconds in a large
 * repository.
 */
const MAX_TREE = 60;

/** The newest commits that edit files, with each file's text before and after. */
function commitsOf(repository, limit) {
  const git = (...args) =>
    execFileSync("git", ["-C", repository, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
  const log = git(
    "log",
    "--no-merges",
    "--format=%x00%H%x01%P%x01%s",
    "--name-status",
    "--no-renames",
  );
  const commits = [];
  for (const record of log.split("\0").slice(1)) {
    const [head, ...rows] = record.trim().split("\n");
    const [id, parent, task] = head.split("\x01");
    const changed = rows.filter((row) => /^[MA]\t/.test(row) && !/lock|\.(?:png|ico)$/.test(row));
    if (parent === "" || parent.includes(" ") || changed.length > MAX_FILES) continue;
    if (!changed.some((row) => row.startsWith("M"))) continue;
    const files = changed.map((row) => {
      const path = row.slice(2);
      const before = row.startsWith("M") ? git("show", `${parent}:${path}`) : undefined;
      return { path, before, after: git("show", `${id}:${path}`) };
    });
    const folder = dirname(files[0].path).split("/").slice(0, 2).join("/");
    const others = git("ls-tree", "-r", "--name-only", parent, "--", `${folder}/`).split("\n");
    const beside = others
      .filter((path) => /\.\w+$/.test(path) && files.every((file) => file.path !== path))
      .slice(0, MAX_TREE);
    commits.push({
      id,
      task,
      files,
      beside: beside.map((path) => ({ path, before: git("show", `${parent}:${path}`) })),
    });
    if (commits.length === limit) break;
  }
  return commits;
}

function write(root, path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** The files that the pack shows in full, by path, as the pack writes them. */
function fullFiles(text) {
  const shown = new Map();
  let lines;
  for (const line of text.slice(0, text.lastIndexOf("\n[INSTRUCTION]")).split("\n")) {
    const header = /^={3,} (\S+)(?: (\S+))?$/.exec(line);
    if (header !== null && header[2] !== undefined) shown.set(header[1], (lines = []));
    else if (/^={3,} /.test(line)) lines = undefined;
    else lines?.push(line);
  }
  return shown;
}

/** The hunks of a delta by path. A cut file has none, because its hunks cannot rebuild it. */
function hunksOf(text) {
  const found = new Map();
  let hunks;
  for (const line of (text.split("\nHUNKS:\n")[1] ?? "").split("\n")) {
    const path = /^--- \S+ (.+)$/.exec(line)?.[1];
    if (path !== undefined) found.set(path, (hunks = []));
    else if (line.startsWith("@@ ")) hunks?.push([line]);
    else hunks?.at(-1)?.push(line);
  }
  for (const [path, own] of found)
    if (own.some((hunk) => hunk.some((line) => line.startsWith("... +")))) found.delete(path);
  return found;
}

/** Applies hunks by their line numbers. Undefined if an old line differs from the one in the hunk. */
function rebuild(lines, hunks) {
  const result = [];
  let at = 0;
  let isEnded = true;
  for (const [head, ...body] of hunks) {
    const [, first, count] = /^@@ -(\d+)(?:,(\d+))? /.exec(head) ?? [];
    const start = count === "0" ? Number(first) : Number(first) - 1;
    while (at < start) result.push(lines[at++]);
    for (const [index, line] of body.entries()) {
      if (line.startsWith("\\")) isEnded = body[index - 1].startsWith("-");
      else if (line.startsWith("+")) result.push(line.slice(1));
      else if (lines[at++] !== line.slice(1)) return undefined;
      else if (!line.startsWith("-")) result.push(line.slice(1));
    }
  }
  const text = [...result, ...lines.slice(at)].join("\n");
  return isEnded ? `${text}\n` : text;
}

async function measureCommit({ task, files, beside }, { budget, counter }) {
  const root = mkdtempSync(join(tmpdir(), "ccl-pack-deltas-"));
  try {
    for (const { path, before } of [...files, ...beside])
      if (before !== undefined) write(root, path, before);
    const registry = await openAliasRegistry({ root, persist: false });
    await registry.scan();
    const pack = await buildPack({ registry, task, budget, counter });
    const base = await takeSnapshot({ registry });
    for (const { path, after } of files) write(root, path, after);
    await registry.scan();
    const delta = await computeDelta(base, await takeSnapshot({ registry }));
    const prompt = renderDelta(delta, { budget, counter });
    await registry.close();
    return judge(files, { shown: fullFiles(pack.text), hunks: hunksOf(prompt), counter, prompt });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function judge(files, { shown, hunks, counter, prompt }) {
  const changed = files.filter(({ before, after }) => before !== after);
  const isRebuilt = ({ path, before, after }, own) =>
    own !== undefined && rebuild(before === undefined ? [] : shown.get(path), own) === after;
  const based = changed.filter(({ path, before }) => before !== undefined && shown.has(path));
  const added = changed.filter(({ before }) => before === undefined);
  return {
    based: based.length,
    equal: based.filter((file) => isRebuilt(file, hunks.get(file.path))).length,
    control: based.filter((file) => isRebuilt(file, hunks.get(file.path)?.slice(0, -1))).length,
    missed: based.filter((file) => !isRebuilt(file, hunks.get(file.path))).map(({ path }) => path),
    noHunks: based.filter(({ path }) => !hunks.has(path)).length,
    added: added.length,
    addedEqual: added.filter((file) => isRebuilt(file, hunks.get(file.path))).length,
    edited: changed.length - added.length,
    tokens: counter.count(prompt),
  };
}

export async function run({
  repository = fileURLToPath(new URL("..", import.meta.url)),
  commits: limit = 60,
  budget = 16_000,
} = {}) {
  const counter = await createBpeCounter("o200k_base");
  const commits = commitsOf(repository, limit);
  const results = [];
  for (const commit of commits) results.push(await measureCommit(commit, { budget, counter }));
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  const share = (name, of) => `${sum(name)} of ${sum(of)}`;
  const rows = [
    ["edited files that the base pack shows in full", share("based", "edited")],
    ["of these rebuilt byte for byte", share("equal", "based")],
    ["left out of the delta, or cut by its budget", String(sum("noHunks"))],
    ["control: without the last hunk of each file", share("control", "based")],
    ["new files rebuilt byte for byte", share("addedEqual", "added")],
    ["tokens of a delta, mean", (sum("tokens") / results.length).toFixed(0)],
  ];
  return {
    title: "Files rebuilt from a base pack and a delta",
    markdown: `${results.length} commits, ${budget} tokens each for pack and delta.\n\n| | |\n|---|---:|\n${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}`,
    missed: results.flatMap(({ missed }) => missed),
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      repo: { type: "string" },
      commits: { type: "string" },
      budget: { type: "string" },
    },
  });
  const { title, markdown, missed } = await run({
    repository: values.repo,
    commits: Number(values.commits ?? 60),
    budget: Number(values.budget ?? 16_000),
  });
  console.log(`${title}\n\n${markdown}`);
  if (missed.length > 0) console.log(`\nNot equal:\n${missed.join("\n")}`);
}
