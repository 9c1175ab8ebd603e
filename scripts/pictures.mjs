// The three pictures of README.md and docs, drawn from runs on the source code of a library that the lock file fixes.
// So only changes of CCL change them. --write replaces them. Without it, the run fails if a picture would change.
import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { drawEdit, drawPrompts, drawWindows, textsOf } from "./pictures/draw.mjs";

const BUDGET = 16_000;
const TASK = "Find what happens to a tool call that can't be repaired. Change nothing.";
const PACK_TASK = "Count the calls of a tool that had to be repaired.";
const PACK_BUDGET = 4_000;

const repository = fileURLToPath(new URL("..", import.meta.url));
const images = join(repository, "docs/public/images");
const load = (name) => import(join(repository, "packages", name, "dist/index.js"));
const { fitMessages } = await load("context-compiler");
const { estimatedCounter: counter } = await load("core");
const library = dirname(
  createRequire(join(repository, "packages/context-compiler/package.json")).resolve(
    "ai/package.json",
  ),
);

const pictures = { ...(await sessionPictures()), "repository-to-edit.svg": await editPicture() };
for (const [name, svg] of Object.entries(pictures)) {
  const file = join(images, name);
  if (process.argv.includes("--write")) await writeFile(file, svg);
  const shown = await readFile(file, "utf8").catch(() => "");
  assert.deepEqual(
    textsOf(shown),
    textsOf(svg),
    `${name} says something else; run "npx -y pnpm@10 pictures --write"`,
  );
  assert.equal(shown, svg, `${name} is drawn otherwise; run "npx -y pnpm@10 pictures --write"`);
}
console.log(`${Object.keys(pictures).join(", ")}: drawn from a run`);

/** An agent that reads one file after the other, once with the last messages that fit and once with `fitMessages`. */
async function sessionPictures() {
  const history = [{ role: "user", content: TASK }];
  const prompts = [];
  let [state, record, kept, keptByLast] = [undefined, undefined, 0, 0];
  const isTask = ({ content }) => content === TASK;
  let last = [];
  for (const [at, path] of (await sources(library)).slice(0, 60).entries()) {
    const call = { id: `c${at}`, name: "read_file", arguments: JSON.stringify({ path }) };
    history.push({ role: "assistant", content: "", toolCalls: [call] });
    const content = await readFile(join(library, path), "utf8");
    history.push({ role: "tool", toolCallId: call.id, content });
    const add = (one) => (record = one);
    const fitted = fitMessages(history, { budget: BUDGET, counter, state, record: { add } });
    ({ state } = fitted);
    last = lastThatFit(history);
    kept += fitted.messages.some(isTask) ? 1 : 0;
    keptByLast += last.some(isTask) ? 1 : 0;
    const { tokens, prefixStableTokens: cached } = fitted;
    prompts.push({ everything: tokensOf(history), tokens, cached });
  }
  assert.ok(kept === prompts.length && keptByLast < kept, "the task is not kept, or not lost");
  const isLast = new Set(last);
  const windows = [
    {
      name: "The last messages that fit",
      task: `the task is in ${keptByLast} of ${prompts.length} prompts`,
      parts: history.map((message) => ({
        isTask: isTask(message),
        tokens: tokensOf([message]),
        sent: isLast.has(message) ? tokensOf([message]) : 0,
      })),
    },
    {
      name: "With CCL",
      task: `the task is in ${kept} of ${prompts.length} prompts`,
      parts: record.parts.map(({ text, tokens, sent }) => ({
        isTask: text === TASK,
        tokens: Math.max(tokens, sent?.tokens ?? 0),
        sent: sent?.tokens ?? tokens,
      })),
    },
  ];
  return {
    "two-windows.svg": drawWindows(windows, BUDGET),
    "growing-prompt.svg": drawPrompts(prompts, BUDGET),
  };
}

/** A pack of the library for a task, and an edit of its first file that a check confirms. */
async function editPicture() {
  const { buildPack, openAliasRegistry } = await load("aliases");
  const { openWorkspace } = await import(
    join(repository, "packages/plan-protocol/dist/node/index.js")
  );
  const root = await mkdtemp(join(tmpdir(), "ccl-pictures-"));
  try {
    await cp(join(library, "src"), join(root, "src"), { recursive: true });
    const registry = await openAliasRegistry({ root, persist: false });
    const { entries: files } = await registry.scan();
    const pack = await buildPack({ registry, task: PACK_TASK, budget: PACK_BUDGET, counter });
    await registry.close();
    const path = pack.entries[0].path;
    const workspace = await openWorkspace({ root, durability: "off" });
    await workspace.read([{ type: "read_file", path }]);
    const text = await readFile(join(root, path), "utf8");
    const at = text.indexOf("export async function");
    const added = "/** How many calls had to be repaired. */\nexport let repairedCalls = 0;\n\n";
    const answer = `${path}\n<<<<<<< SEARCH\n${lineAt(text, at)}\n=======\n${added}${lineAt(text, at)}\n>>>>>>> REPLACE\n`;
    const proposed = workspace.propose(answer);
    assert.ok(proposed.ok, JSON.stringify(proposed.issues));
    const command = [
      process.execPath,
      "-e",
      `process.exit(fs.readFileSync(${JSON.stringify(path)}, "utf8").includes("repairedCalls") ? 0 : 1)`,
    ];
    const applied = await workspace.apply(proposed.value.plan, {
      checks: [{ name: "repairs are counted", command }],
      mustPass: true,
    });
    assert.ok(applied.ok, JSON.stringify(applied.issues));
    const diff = await workspace.diff(applied.value.transactionId);
    await workspace.close();
    const all = await Promise.all(files.map((file) => readFile(join(root, file.path), "utf8")));
    return drawEdit({
      task: PACK_TASK,
      total: all.reduce((sum, one) => sum + counter.count(one), 0),
      files: files.map((file) => pack.entries.some((one) => one.path === file.path)),
      pack,
      diff: diff.split("\n"),
      checks: applied.value.checks,
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function lineAt(text, at) {
  return text.slice(at, text.indexOf("\n", at));
}

function tokensOf(messages) {
  return messages.reduce(
    (sum, { content, toolCalls = [] }) =>
      sum + 4 + counter.count(content + toolCalls.map((call) => call.arguments).join("")),
    0,
  );
}

function lastThatFit(messages) {
  let tokens = 0;
  const from = messages.findLastIndex((message) => {
    tokens += tokensOf([message]);
    return tokens > BUDGET;
  });
  return messages.slice(from + 1);
}

async function sources(folder) {
  const names = await readdir(join(folder, "src"), { recursive: true });
  return names
    .filter((name) => name.endsWith(".ts") && !name.includes("test"))
    .map((name) => `src/${name.replaceAll("\\", "/")}`)
    .sort();
}
