// Checks that `git apply` accepts the deltas of `ccl diff --patch`. For real commits, the parent's tree is accepted as
// the base, the files become those of the commit, and the patch is applied to a second checkout of the parent. Is the
// result the commit's own tree, and how much longer is the patch than `git diff -M`? The control omits the last file of
// the patch and must not give the tree. Commits that move, rename, change modes or contain binaries come first. `node
// bench/git-deltas.mjs --commits N REPOSITORY...`; the default is this repository.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { createBpeCounter } from "../packages/core/dist/bpe/index.js";

const here = import.meta.dirname;
const ccl = path.join(here, "../packages/cli/dist/ccl.js");

const run = (command, args, options = {}) =>
  execFileSync(command, args, {
    maxBuffer: 2 ** 30,
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
    env: { ...process.env, ...options.env },
  });

/** The newest commits with one parent that fit the kind, by the files in `git log --raw`. */
function commitsOf(git, limit) {
  const log = String(
    git("log", "--no-merges", "-4000", "--format=%x00%H %P", "--raw", "-M", "--numstat"),
  );
  const kinds = { renamed: [], binary: [], mode: [], other: [] };
  for (const record of log.split("\0").slice(1)) {
    const [head, ...rows] = record.trim().split("\n");
    const [commit, parent] = head.split(" ");
    if (parent === undefined || rows.length < 2 || rows.length > 120) continue;
    if (rows.some((row) => row.startsWith(":160000") || row.includes(" 160000 "))) continue;
    const isMode = rows.some(
      (row) => /^:(\d{6}) (?!\1|0{6})\d{6} /.test(row) && !row.startsWith(":0"),
    );
    const kind = rows.some((row) => /^:.* R0\d\d\t/.test(row))
      ? "renamed"
      : rows.some((row) => row.startsWith("-\t"))
        ? "binary"
        : isMode
          ? "mode"
          : "other";
    kinds[kind].push({ commit, parent, kind });
  }
  const share = Math.ceil(limit / 4);
  const { renamed, binary, mode, other } = kinds;
  const rare = [renamed, binary, mode].flatMap((all) => all.slice(0, share));
  const step = Math.max(1, Math.floor(Math.min(other.length, 400) / limit));
  return [...rare, ...other.filter((_, at) => at % step === 0)].slice(0, limit);
}

function measureCommit({ commit, parent, kind }, { at, counter }) {
  const git = (folder, args, index) =>
    run("git", ["-C", at(folder), ...args], {
      env: index === undefined ? {} : { GIT_INDEX_FILE: at(index) },
    });
  for (const folder of ["edited", "applied"]) {
    git(folder, ["checkout", "--quiet", "--force", "--detach", parent]);
    git(folder, ["clean", "-ffdxq"]);
  }
  const program = (...args) => run(process.execPath, [ccl, "-C", at("edited"), ...args]);
  program("init", "--yes");
  program("pack", "--accept", "--model-encoding", "estimate");
  // Uses a separate index, because the user's does not contain the edit.
  fs.cpSync(at("edited/.git/index"), at("index"), { preserveTimestamps: true });
  git("edited", ["read-tree", "-m", "-u", parent, commit], "index");
  const patch = program("diff", "--patch", "--show");
  const treeAfter = (text) => {
    git("applied", ["reset", "--quiet", "--hard"]);
    git("applied", ["clean", "-ffdxq"]);
    fs.writeFileSync(at("delta.patch"), text);
    git("applied", ["apply", "--whitespace=nowarn", at("delta.patch")]);
    fs.cpSync(at("applied/.git/index"), at("index"), { preserveTimestamps: true });
    git("applied", ["add", "--all", "--force"], "index");
    return String(git("applied", ["write-tree"], "index")).trim();
  };
  const wanted = String(git("edited", ["rev-parse", `${commit}^{tree}`])).trim();
  let why = "";
  let isEqual = false;
  try {
    isEqual = treeAfter(patch) === wanted;
  } catch (error) {
    why = String(error.stderr ?? error).split("\n")[0];
  }
  // A changed line may contain the header's words.
  const less = patch.subarray(0, patch.lastIndexOf("\ndiff --git ") + 1);
  let isControlEqual = false;
  if (less.length > 0) isControlEqual = treeAfter(less) === wanted;
  const plain = git("edited", ["diff", "-M", parent, commit]);
  return {
    commit,
    kind,
    isEqual,
    isControlEqual,
    why,
    tokens: counter.count(String(patch)),
    plain: counter.count(String(plain)),
    isBinary: plain.includes("\nBinary files "),
  };
}

async function measure(repositories, { commits, report }) {
  const counter = await createBpeCounter("o200k_base");
  const results = [];
  for (const repository of repositories) {
    const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-git-deltas-"));
    const at = (name) => path.join(folder, name);
    try {
      for (const name of ["edited", "applied"])
        run("git", ["clone", "--quiet", "--shared", "--no-checkout", repository, at(name)]);
      const git = (...args) => run("git", ["-C", at("edited"), ...args]);
      for (const commit of commitsOf(git, commits)) {
        const result = { repository, ...measureCommit(commit, { at, counter }) };
        results.push(result);
        report(result);
      }
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}

function describe(results) {
  const rows = [...new Set(results.map(({ repository }) => repository))].map((repository) => {
    const own = results.filter((one) => one.repository === repository);
    const count = (isOf) => own.filter(isOf).length;
    const texts = own.filter(({ isBinary }) => !isBinary);
    const ratios = texts.map(({ tokens, plain }) => tokens / plain).sort((a, b) => a - b);
    const kinds = ["renamed", "binary", "mode"].map((kind) => count((one) => one.kind === kind));
    const name = repository
      .replace(/\/(repo|\.git)\/?$/, "")
      .split("/")
      .at(-1);
    return [
      name,
      `${own.length} (${kinds.join(", ")})`,
      count(({ isEqual }) => isEqual),
      count(({ isControlEqual }) => isControlEqual),
      `${ratios[Math.floor(ratios.length / 2)]?.toFixed(3)}, ${ratios.at(-1)?.toFixed(3)}`,
    ];
  });
  const head = [
    "repository",
    "commits (renamed and edited, binary, mode)",
    "identical trees",
    "control",
    "tokens by `git diff -M`: median, most",
  ];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    options: { commits: { type: "string", default: "25" } },
    allowPositionals: true,
  });
  const own = fileURLToPath(new URL("..", import.meta.url));
  const repositories = positionals.length > 0 ? positionals : [own];
  const report = ({ commit, kind, why, isEqual, tokens, plain }) =>
    console.log(
      `${commit} ${kind} ${isEqual ? "identical" : `not equal ${why}`}, ${tokens} tokens for ${plain}`,
    );
  const results = await measure(repositories, { commits: Number(values.commits), report });
  console.log(describe(results));
}
