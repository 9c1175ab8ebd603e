// Checks if a model can edit from a pack. For real commits, the subject is the task and the tree before the commit is
// the input. What share of the old lines of its hunks does the pack show, under the path of their file? A task of
// nonsense words is the control. `node bench/pack-lines.mjs --data DIR [--every N] [--half 0|1] [--no-peers] [--json]`
// reads folders with `commits.jsonl` (`{ id, task, edited[], files: { path: sha } }`, newest first), `blobs.jsonl` (`{
// sha, text }`), `hunks.json` (`{ id: { path: [[old line]] } }`, blanks folded), and `history.json` (`[{ subject, files
// }]` with `at` in the commits) if there is one. DIR may contain several of them. The environment variable EDITS_DATA
// can replace --data. It compares whole files by BM25, the map of Aider, and Repomix if it is installed; REPOMIX and
// REPOMIX_NODE name one that needs another Node. --no-peers omits the last two, which take most of the time. Progress
// goes to stderr. `until shown` counts the tokens of the pack and of `get_alias` answers, whole files by name, until
// the text contains all old lines; next to it the same from the names of all files, and whole files in our order up to
// the last edited one.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import {
  buildPack,
  createGetAliasTool,
  openAliasRegistry,
  rankFiles,
} from "../packages/aliases/dist/index.js";
import { createBpeCounter } from "../packages/core/dist/bpe/index.js";
import { aiderMap } from "./lib/aider-map.mjs";
import { rankFullText } from "./lib/full-text-bm25.mjs";
import { repomixFiles } from "./lib/repomix-files.mjs";

const BUDGETS = [4_000, 8_000, 16_000];
const NONSENSE = "zibble quanfor wexling drumpet snorvac bliquet";
const OUTLINED = new Set(["full", "slice", "signatures", "heads"]);

const fold = (line) => line.trim().replaceAll(/\s+/g, " ");
const linesOf = (text) => new Set(text.split("\n").map(fold));
const readJsonLines = (file) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

function load(folder) {
  const commits = readJsonLines(join(folder, "commits.jsonl"));
  const log = existsSync(join(folder, "history.json"))
    ? JSON.parse(readFileSync(join(folder, "history.json"), "utf8"))
    : undefined;
  return {
    name: basename(folder),
    commits,
    blobs: new Map(readJsonLines(join(folder, "blobs.jsonl")).map(({ sha, text }) => [sha, text])),
    hunks: JSON.parse(readFileSync(join(folder, "hunks.json"), "utf8")),
    /** The commits before a commit, newest first. */
    before: (at) =>
      log?.slice(commits[at].at + 1) ??
      commits.slice(at + 1).map(({ task, edited }) => ({ subject: task, files: edited })),
  };
}

/** Brings a folder to the state of one tree. Unchanged files are not written. */
function createTree(root, blobs) {
  let present = {};
  return (files) => {
    for (const path of Object.keys(present))
      if (files[path] === undefined) rmSync(join(root, path));
    for (const [path, sha] of Object.entries(files)) {
      if (present[path] === sha) continue;
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), blobs.get(sha) ?? "");
    }
    present = files;
  };
}

/** The lines under the header of each path. */
function shownLines(text) {
  const shown = new Map();
  let lines;
  for (const line of text.split("\n")) {
    const path = /^={3,} (\S+) \S/.exec(line)?.[1];
    if (path !== undefined) shown.set(path, (lines = new Set()));
    else if (/^={3,} |^\[INSTRUCTION\]/.test(line)) lines = undefined;
    else lines?.add(fold(line));
  }
  return shown;
}

/** Tokens of lines that are no file's text: map, headers, marks and names. */
function overheadOf(text, counter) {
  const lines = text.slice(0, text.lastIndexOf("[INSTRUCTION]")).split("\n");
  let isMap = false;
  return lines
    .filter((line) => {
      const isHeader = /^={3,} /.test(line);
      if (isHeader) isMap = line.endsWith(" map");
      return isHeader || isMap;
    })
    .reduce((sum, line) => sum + counter.count(`${line}\n`), 0);
}

const shareOf = (old, shown) =>
  old.filter(([path, line]) => shown.get(path)?.has(line)).length / old.length;

/** Tokens of the answers that return each of these files in full. */
async function tokensToRead(paths, { registry, counter, texts }) {
  const tool = createGetAliasTool(registry, { counter });
  let tokens = 0;
  for (const alias of paths) {
    for (let next = {}; next !== undefined;) {
      const { ok, value, issues } = await tool.execute({ alias, ...next }, {});
      // A repository may keep a file that its own .gitignore names, which has no alias.
      if (!ok && issues[0].code !== "alias_unknown") throw new Error(issues[0].message);
      tokens += counter.count(ok ? value.text : texts.get(alias));
      if (!ok) break;
      ({ next } = value);
    }
  }
  return tokens;
}

/** As many whole files in an order as fit. */
function wholeFiles(paths, texts, { budget, counter }) {
  const shown = new Map();
  let left = budget;
  for (const path of paths) {
    left -= counter.count(`${path}\n${texts.get(path)}\n`);
    if (left < 0) break;
    shown.set(path, linesOf(texts.get(path)));
  }
  return shown;
}

/** What a text that starts with these files shows, cut at the budget. */
function firstWithin(files, { budget, counter }) {
  const shown = new Map();
  let left = budget;
  for (const [path, lines] of files) {
    const own = [];
    shown.set(path, own);
    for (const line of lines) {
      left -= counter.count(`${line}\n`);
      if (left < 0) return shown;
      own.push(line);
    }
  }
  return shown;
}

const foldAll = (shown) =>
  new Map([...shown].map(([path, lines]) => [path, new Set(lines.map(fold))]));

async function measureCommit({ registry, commit, texts, old, history, counter, hasPeers }) {
  const { task } = commit;
  const result = {};
  const port = {
    commits: async function* () {
      yield* history;
    },
  };
  const ranked = (await rankFiles({ registry, task })).files.map(({ path }) => path);
  const sources = [...texts].map(([path, text]) => ({ path, text }));
  const bm25 = rankFullText(sources, task).map(({ path }) => path);
  const edited = [...new Set(old.map(([path]) => path))];
  const reading = { registry, counter, texts };
  const names = counter.count([...texts.keys()].join("\n"));
  result["until shown, from names"] = names + (await tokensToRead(edited, reading));
  const last = Math.max(...edited.map((path) => ranked.indexOf(path)));
  result["until shown, own order"] = await tokensToRead(ranked.slice(0, last + 1), reading);
  const packed = hasPeers ? repomixFiles(registry.root) : [];
  for (const budget of BUDGETS) {
    const k = `${budget / 1000}k`;
    const pack = await buildPack({ registry, task, budget, counter });
    const withHistory = await buildPack({ registry, task, budget, counter, history: port });
    for (const { tokens } of [pack, withHistory])
      if (tokens > budget)
        throw new Error(`The pack has ${tokens} tokens, the budget is ${budget}.`);
    const shown = shownLines(pack.text);
    result[`pack ${k}`] = shareOf(old, shown);
    const missing = edited.filter(
      (path) => !old.every(([own, line]) => own !== path || shown.get(path)?.has(line)),
    );
    result[`until shown ${k}`] = pack.tokens + (await tokensToRead(missing, reading));
    result[`history ${k}`] = shareOf(old, shownLines(withHistory.text));
    result[`own order ${k}`] = shareOf(old, wholeFiles(ranked, texts, { budget, counter }));
    result[`bm25 ${k}`] = shareOf(old, wholeFiles(bm25, texts, { budget, counter }));
    if (hasPeers)
      result[`aider map ${k}`] = shareOf(
        old,
        foldAll(aiderMap(sources, task, { budget, counter })),
      );
    for (const [name, files] of packed)
      result[`${name} ${k}`] = shareOf(old, foldAll(firstWithin(files, { budget, counter })));
    if (budget !== 8_000) continue;
    const outlined = new Set(
      pack.entries.filter(({ level }) => OUTLINED.has(level)).map(({ path }) => path),
    );
    result["outlined 8k"] =
      commit.edited.filter((path) => outlined.has(path)).length / commit.edited.length;
    result["header share 8k"] = overheadOf(pack.text, counter) / pack.tokens;
    result["filled 8k"] = pack.tokens / budget;
    const nonsense = await buildPack({ registry, task: NONSENSE, budget, counter });
    const nonsenseHistory = await buildPack({
      registry,
      task: NONSENSE,
      budget,
      counter,
      history: port,
    });
    result["nonsense 8k"] = shareOf(old, shownLines(nonsense.text));
    result["nonsense history 8k"] = shareOf(old, shownLines(nonsenseHistory.text));
  }
  for (const most of [1, 3, 10]) {
    const top = new Set(ranked.slice(0, most));
    result[`R@${most}`] =
      commit.edited.filter((path) => top.has(path)).length / commit.edited.length;
  }
  return result;
}

async function measureFolder(folder, { every, half, counter, hasPeers }) {
  const { name, commits, blobs, hunks, before } = load(folder);
  const root = mkdtempSync(join(tmpdir(), "ccl-pack-lines-"));
  const results = [];
  try {
    const showTree = createTree(root, blobs);
    // Kept across commits, so that a file is analyzed once for all trees that contain it.
    const registry = await openAliasRegistry({ root });
    for (const [at, commit] of commits.entries()) {
      const old = Object.entries(hunks[commit.id] ?? {}).flatMap(([path, parts]) =>
        parts.flat().map((line) => [path, fold(line)]),
      );
      if (at % every !== 0 || old.length === 0 || (half !== undefined && at % 2 !== half)) continue;
      showTree(commit.files);
      await registry.scan();
      const texts = new Map(
        Object.entries(commit.files).map(([path, sha]) => [path, blobs.get(sha) ?? ""]),
      );
      results.push(
        await measureCommit({
          registry,
          commit,
          texts,
          old,
          history: before(at),
          counter,
          hasPeers,
        }),
      );
      console.error(
        `${name} ${at + 1} of ${commits.length}: ${describe(results.at(-1))}; so far ${describe(meansOf(results))}`,
      );
    }
    await registry.close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return { name, commits: results.length, means: meansOf(results) };
}

const describe = (result) =>
  BUDGETS.map((budget) => result[`pack ${budget / 1000}k`].toFixed(2)).join(" ");

function meansOf(results) {
  const keys = Object.keys(results[0] ?? {});
  const mean = (key) => results.reduce((sum, result) => sum + result[key], 0) / results.length;
  return Object.fromEntries(keys.map((key) => [key, mean(key)]));
}

export function tableOf(measured) {
  const keys = Object.keys(measured[0].means).sort((a, b) =>
    a.split(" ")[0].localeCompare(b.split(" ")[0]),
  );
  return [
    `| | ${measured.map(({ name, commits }) => `${name} (${commits})`).join(" | ")} |`,
    `|---|${measured.map(() => "---:|").join("")}`,
    ...keys.map(
      (key) =>
        `| ${key} | ${measured.map(({ means }) => means[key].toFixed(means[key] > 1 ? 0 : 3)).join(" | ")} |`,
    ),
  ].join("\n");
}

const foldersOf = (data) =>
  existsSync(join(data, "commits.jsonl"))
    ? [data]
    : readdirSync(data)
        .map((name) => join(data, name))
        .filter((folder) => existsSync(join(folder, "commits.jsonl")));

export async function run({
  data = process.env["EDITS_DATA"],
  every = Number(process.env["EDITS_EVERY"] ?? 1),
  half,
  hasPeers = true,
} = {}) {
  if (data === undefined) throw new Error("Pass --data DIR or set EDITS_DATA.");
  const counter = await createBpeCounter("o200k_base");
  const measured = [];
  for (const folder of foldersOf(data))
    measured.push(await measureFolder(folder, { every, half, counter, hasPeers }));
  return {
    title: "Lines of real edits that stand in a pack",
    markdown: `The share of the old lines of a commit's hunks that its pack shows, by the budget in tokens. The task is the commit's subject alone. "nonsense" is the same pack for a task of invented words. The number of commits is in brackets.\n\n${tableOf(measured)}`,
    measured,
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      every: { type: "string" },
      half: { type: "string" },
      "no-peers": { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  const { title, markdown, measured } = await run({
    data: values.data,
    every: Number(values.every ?? 1),
    half: values.half === undefined ? undefined : Number(values.half),
    hasPeers: values["no-peers"] !== true,
  });
  console.log(values.json === true ? JSON.stringify(measured) : `${title}\n\n${markdown}`);
}
