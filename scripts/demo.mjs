// A demo on the source code of a library: an agent's long session, a search in a cut result, a pack for a task, what
// changed after an edit, and a change from a model's recorded answers on a small project. Exits with 1 if a check
// fails. The lock file fixes the library, so only changes of CCL change the output. --check compares it with README.md,
// and --write updates README.md.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { showLongSession } from "./demo/long-session.mjs";
import { bar, excerpt, format, heading, paint, said, say, stopwatch } from "./demo/print.mjs";
import { checkReadme, writeReadme } from "./demo/readme-block.mjs";

const BUDGET = 4000;
const TASK = "Count the calls of a tool that had to be repaired.";
const ACTION = "update the callers and the tests of what changed";
const ADDED =
  '\n/** True where a demo runs. */\nexport function isDemo(environment: string): boolean {\n  return environment !== "";\n}\n';

const repository = fileURLToPath(new URL("..", import.meta.url));
const library = dirname(
  createRequire(join(repository, "packages/context-compiler/package.json")).resolve(
    "ai/package.json",
  ),
);
const startedAt = performance.now();
const temporary = await mkdtemp(join(tmpdir(), "ccl demo "));
process.once(
  "SIGINT",
  () => void rm(temporary, { recursive: true, force: true }).then(() => process.exit(130)),
);
try {
  await run();
  const readme = join(repository, "README.md");
  if (process.argv.includes("--write")) await writeReadme(readme, said());
  if (process.argv.includes("--check")) await checkReadme(readme, said());
} catch (error) {
  console.error(
    `\n${paint("red", "The demo failed:")} ${error instanceof Error ? error.message : error}`,
  );
  process.exitCode = 1;
} finally {
  await rm(temporary, { recursive: true, force: true });
}

async function run() {
  const ccl = await loadBuild();
  const counter = await ccl.createBpeCounter("o200k_base");
  const { version } = JSON.parse(await readFile(join(library, "package.json"), "utf8"));
  say(
    paint(
      "dim",
      `The sources are those of the AI SDK ${version}, from node_modules. No model is called.`,
    ),
  );
  await showLongSession({ ...ccl, folder: library, counter });
  const copy = await copyLibrary(ccl);
  const pack = await showPack(copy, { ...ccl, counter });
  const base = await ccl.takeSnapshot({ registry: copy });
  const seen = inPart(pack);
  await appendFile(join(copy.root, seen.path), ADDED);
  await showDelta(copy, { ...ccl, counter, base, pack, alias: seen.alias });
  await copy.close();
  await showCodingAgent();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  say(
    `\n${paint("green", "All checks passed")} in ${seconds} s. On a project of yours: npx -y pnpm@10 ccl pack -C <folder>`,
  );
}

async function loadBuild() {
  try {
    const aliases = await import("../packages/aliases/dist/index.js");
    const compiler = await import("../packages/context-compiler/dist/index.js");
    const { createMemoryArtifactStore } = await import("../packages/artifact-store/dist/index.js");
    const { createBpeCounter } = await import("../packages/core/dist/bpe/index.js");
    return { ...aliases, ...compiler, createMemoryArtifactStore, createBpeCounter };
  } catch (error) {
    throw new Error(`the packages are not built; run "npx -y pnpm@10 demo" (${error.message})`, {
      cause: error,
    });
  }
}

/** A copy of the library's sources, which the demo may edit. */
async function copyLibrary({ openAliasRegistry }) {
  await cp(join(library, "src"), join(temporary, "src"), { recursive: true });
  const copy = await openAliasRegistry({ root: temporary, persist: false });
  const { entries } = await copy.scan();
  assert.ok(entries.length > 0, "the scan found no file");
  return copy;
}

async function showPack(registry, { buildPack, counter }) {
  const raw = await countAll(registry, counter);
  const clock = stopwatch();
  const pack = await buildPack({ registry, task: TASK, budget: BUDGET, counter });
  assert.equal(
    counter.count(pack.text),
    pack.tokens,
    "the pack does not have the tokens that it reports",
  );
  assert.ok(pack.tokens <= BUDGET, `the pack has ${pack.tokens} tokens, the budget is ${BUDGET}`);
  assert.ok(pack.entries.length > 0, "the pack shows no file");
  heading(
    3,
    "A repository in a prompt",
    `at most ${format(BUDGET)} tokens for a task, in ${clock()}`,
  );
  say(`   ${paint("dim", `"${TASK}"`)}`);
  say(`   all files  ${bar(1, "yellow")} ${format(raw)} tokens`);
  say(
    `   pack       ${bar(pack.tokens / raw, "green")} ${format(pack.tokens)} tokens, ${((100 * pack.tokens) / raw).toFixed(1)} %`,
  );
  const levels = ["full", "slice", "signatures", "heads", "card", "reference"].flatMap((level) => {
    const count = pack.entries.filter((entry) => entry.level === level).length;
    return count === 0 ? [] : [`${count} ${level}`];
  });
  say(
    `   ${pack.entries.length} files: ${levels.join(", ")}; ${pack.omitted.length} more are one get_alias call away\n`,
  );
  for (const { rank, level, path, matched } of pack.entries.slice(0, 5))
    say(`   ${rank}. ${path}  ${paint("dim", `${level}, ${matched.join(" ")}`)}`);
  const first = pack.entries.slice(0, 4).map(({ path }) => path);
  assert.ok(
    first.slice(0, 2).some((path) => path.endsWith("generate-text/parse-tool-call.ts")),
    `the first files are not those that the task is about: ${first.join(", ")}`,
  );
  const lines = pack.text.trimEnd().split("\n");
  const [best] = pack.entries;
  const shown = [...lines.slice(0, 2), "...", ...blockOf(best.path, lines).slice(0, 8)];
  excerpt([...shown, ...lines.slice(shown.length)], shown.length);
  return pack;
}

/** A file's lines in the pack: from its header to the next one. */
function blockOf(path, lines) {
  const isHeader = (line) => /^={3,} /.test(line);
  const start = lines.findIndex((line) => isHeader(line) && line.split(" ")[1] === path);
  const length = lines.slice(start + 1).findIndex(isHeader);
  return lines.slice(start, start + 1 + length);
}

/** The best file that the pack shows in part, so that a model would probably ask for more of it. */
function inPart(pack) {
  const entry = pack.entries.find(({ level, path }) => level === "slice" && path.endsWith(".ts"));
  assert.ok(entry !== undefined, "the pack shows no TypeScript file in part");
  return entry;
}

async function countAll(registry, counter) {
  let tokens = 0;
  for (const { alias } of registry.list()) {
    const content = await registry.resolve(alias);
    if (content.ok) tokens += counter.count(content.value.text ?? "");
  }
  return tokens;
}

async function showDelta(
  registry,
  { takeSnapshot, computeDelta, renderDelta, counter, base, pack, alias },
) {
  const clock = stopwatch();
  const delta = await computeDelta(base, await takeSnapshot({ registry }));
  const prompt = renderDelta(delta, { action: ACTION });
  const changed = delta.changes.map((change) => change.alias);
  assert.deepEqual(
    changed,
    [alias],
    `one file was edited, but the delta names ${changed.join(", ") || "none"}`,
  );
  assert.ok(prompt.includes("isDemo"), "the delta does not say what was added");
  const tokens = counter.count(prompt);
  heading(
    4,
    "What changed",
    `after an edit, the next prompt: ${format(tokens)} tokens instead of ${format(pack.tokens)}, in ${clock()}`,
  );
  excerpt(prompt.split("\n"), 8);
}

/** Applies recorded answers of a model to a copy of a project with a failing test. The example checks itself. */
async function showCodingAgent() {
  const clock = stopwatch();
  const program = join(repository, "examples", "coding-agent", "dist", "main.js");
  const { code, output } = await runProgram(program);
  assert.equal(code, 0, `examples/coding-agent failed:\n${output}`);
  const isTold = (line) =>
    /^(?:\d [A-Z]| {2}(?:rejected|rolled back|applied|check )| {2}\| [-+] )/.test(line);
  const told = output.split("\n").filter(isTold);
  assert.ok(
    told.some((line) => line.startsWith("  rolled back")),
    "no change was rolled back",
  );
  assert.ok(
    told.some((line) => line.startsWith("  applied")),
    "no change was applied",
  );
  heading(
    5,
    "Apply the model's edit",
    `a failing test repaired by answers that were recorded, on a copy, in ${clock()}`,
  );
  excerpt(told, told.length);
}

function runProgram(program) {
  return new Promise((settle, fail) => {
    // The demo never calls a model, even if the environment names one.
    const env = { ...process.env, CCL_MODEL: "recorded" };
    const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", fail);
    child.on("close", (code) => settle({ code, output }));
  });
}
