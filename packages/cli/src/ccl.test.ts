import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { acquireFileLock, type FileLock } from "@ccl/core/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { runCli } from "./run-cli.ts";
import type { OutputStream } from "./session.ts";

const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
const isWindows = process.platform === "win32";

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  isTerminal?: boolean;
  platform?: NodeJS.Platform;
}

let temporary: string;
let root: string;
/** A command that waits for a lock in vain; it takes its seconds beside the other tests. */
let locked: Promise<Run>;
let lock: FileLock;
let lockedFolder: string;

beforeAll(async () => {
  await lstat(program).catch(() => expect.fail(`${program} is missing: build before the tests.`));
  lockedFolder = await mkdtemp(join(tmpdir(), "ccl-locked-"));
  await mkdir(join(lockedFolder, ".ccl"));
  await writeFile(join(lockedFolder, ".ccl", "aliases.json"), "{}\n");
  await writeFile(join(lockedFolder, "main.ts"), "export {};\n");
  lock = await acquireFileLock(join(lockedFolder, ".ccl", "aliases.lock"));
  locked = spawnCcl(["alias", "add", "H.main", "main.ts", "--json"], { cwd: lockedFolder });
});

afterAll(async () => {
  await locked;
  await lock.release();
  await rm(lockedFolder, { recursive: true });
});

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "ccl-"));
  root = join(temporary, "my проект 项目");
  await mkdir(join(root, "src"), { recursive: true });
  await writeFile(
    join(root, "src", "greet.ts"),
    "export function greet(name: string): string {\n  return name;\n}\n",
  );
  await writeFile(
    join(root, "src", "main.ts"),
    'import { greet } from "./greet.ts";\n\ngreet("you");\n',
  );
  await writeFile(join(root, "README.md"), "# Greetings\n\nSays hello.\n");
});

afterEach(async () => {
  await rm(temporary, { recursive: true, maxRetries: 3 });
});

/** Runs the built program in a process of its own. */
function spawnCcl(
  args: string[],
  options: RunOptions & { isClosedEarly?: boolean } = {},
): Promise<Run> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A reader that goes away before anything was written.
  if (options.isClosedEarly === true) child.stdout.destroy();
  const run: Run = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (run.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (run.stderr += text));
  return new Promise((settle, fail) => {
    child.on("error", fail);
    child.on("close", (code) => settle({ ...run, code }));
  });
}

/** Runs a command line in this process. Exact counting takes long to begin, so packs are counted by estimate. */
async function ccl(args: string[], options: RunOptions = {}): Promise<Run> {
  const isCounting = ["pack", "diff"].includes(args[0] ?? "") && !args.includes("--model-encoding");
  const counting = isCounting ? ["--model-encoding", "estimate"] : [];
  const run: Run = { code: null, stdout: "", stderr: "" };
  const isTTY = options.isTerminal === true;
  const streamOf = (name: "stdout" | "stderr"): OutputStream => ({
    isTTY,
    write: (text) => (run[name] += text),
    on: () => undefined,
  });
  const terminal = Object.assign(new EventEmitter(), {
    stdin: { isTTY: false },
    stdout: streamOf("stdout"),
    stderr: streamOf("stderr"),
    env: { ...options.env },
    platform: options.platform ?? process.platform,
    cwd: () => options.cwd ?? root,
  });
  run.code = await runCli([...args, ...counting], terminal);
  return run;
}

async function json(
  args: string[],
  options: RunOptions = {},
): Promise<{ code: number | null; document: unknown }> {
  const { code, stdout, stderr } = await ccl([...args, "--json"], options);
  expect(stderr).toBe("");
  return { code, document: JSON.parse(stdout) };
}

/** Every path below a folder with its time of change and, for files, its content. */
async function listing(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return await Promise.all(
    [".", ...names].map(async (name) => {
      const stats = await lstat(join(folder, name));
      const content = stats.isFile() ? await readFile(join(folder, name), "utf8") : "";
      return `${name} ${stats.mtimeMs} ${content}`;
    }),
  );
}

/** What a built file imports before it runs, through its own chunks. */
async function staticImports(file: string): Promise<Set<string>> {
  const source = await readFile(join(dirname(program), file), "utf8");
  const found = new Set<string>();
  for (const [, name = ""] of source.matchAll(
    /(?<=^|;|\})(?:import\s*(?:[\w$*{}\s,]+from\s*)?|export\s*[*{][\w$*{}\s,]*from\s*)"([^"]+)"/gm,
  )) {
    const inner = name.startsWith("./") ? await staticImports(name) : [name];
    for (const each of inner) found.add(each);
  }
  return found;
}

/** A folder with a program that does what the shell script says. */
async function fakeProgram(name: string, script: string): Promise<string> {
  const folder = join(temporary, "bin");
  await mkdir(folder);
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
  return folder;
}

describe("ccl pack in a folder that is not set up", () => {
  it("prints the pack alone and writes nothing at all", async () => {
    const before = await listing(root);
    const packed = await spawnCcl(["pack", "--task", "Greet in French.", "--budget", "2k"]);
    expect(packed).toMatchObject({ code: 0, stderr: "" });
    expect(packed.stdout).toMatch(/^\[CONTEXT\]\n/);
    expect(packed.stdout).toContain("=== src/greet.ts H.greet\n");
    expect(packed.stdout).toContain("Greet in French.");
    expect((await ccl(["expand", "H.greet"])).stdout).toBe(
      await readFile(join(root, "src", "greet.ts"), "utf8"),
    );
    expect((await ccl(["cards", "show", "D.readme"])).stdout).toMatch(/^- /);
    expect(await listing(root)).toEqual(before);
  });

  it("gives one JSON document with the figures of the pack", async () => {
    const { code, document } = await json([
      "pack",
      "--budget",
      "2000",
      "--ignore",
      "*.md",
      "--model-encoding",
      "o200k_base",
    ]);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      budget: 2000,
      counter: "o200k_base",
      written: [],
      isCopied: false,
      omitted: [],
    });
    expect(document).toHaveProperty("tokens", expect.any(Number));
    expect(document).toHaveProperty("rawTokens", expect.any(Number));
    expect(document).toHaveProperty(
      "sections",
      expect.arrayContaining([{ name: "CONTEXT", tokens: expect.any(Number) }]),
    );
    expect(document).toHaveProperty("entries.length", 2);
  });

  it("explains the rank of a file, and says so when no word of the task was found", async () => {
    const args = ["explain", "src/greet.ts", "--budget", "2k"];
    const { stdout, stderr } = await ccl([...args, "--task", "greet in French"]);
    expect(stderr).toBe("ccl: in no file: French\n");
    expect(stdout).toMatch(
      /^src\/greet\.ts {2}H\.greet\n {2}rank {5}1 of 3, score 1\.00: words \d+ %.*\n {2}words {4}greet\n/,
    );
    expect(stdout).toMatch(/\n {2}pack {5}full, \d+ tokens\n$/);
    const none = await json([...args, "--task", "zibble"]);
    expect(none.document).toMatchObject({
      isMatched: false,
      unmatched: ["zibble"],
      total: 3,
      files: [{ path: "src/greet.ts", matched: [] }],
    });
    expect((await json(["explain", "no.ts"])).document).toMatchObject({
      error: { code: "input_invalid" },
    });
  });

  it("survives a reader that closes the pipe", async () => {
    expect(await spawnCcl(["pack"], { isClosedEarly: true })).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  it("counts as it is told and packs only what it is told to", async () => {
    const args = ["pack", "--include", "src/**", "--focus", "src/main.ts"];
    const { document } = await json(args);
    expect(document).toMatchObject({ counter: expect.stringMatching(/^estimated/) });
    expect(document).toHaveProperty(
      "entries",
      expect.not.arrayContaining([expect.objectContaining({ path: "README.md" })]),
    );
  });

  it("shows what became of the files on a terminal, and escapes what a name smuggles in", async () => {
    await writeFile(join(root, "\u001B[31mred.md"), "# Red\n");
    const plain = { isTerminal: true, env: { TERM: "dumb" } };
    const { stdout, stderr } = await ccl(["pack", "--budget", "300"], plain);
    expect(stdout).toMatch(/^\[CONTEXT\]\n/);
    expect(stderr).toMatch(/\npack {2}\d+ of 300 tokens \(estimated-o200k\), \d of 4 files\n/);
    expect(stderr).toMatch(/^level +files +tokens$/m);
    expect(stderr).not.toContain("\u001B");
    await ccl(["init"], plain);
    const listed = await ccl(["alias", "list"], plain);
    expect(listed.stdout).toContain("\\u{1b}[31mred.md");
    expect((await ccl(["pack", "--budget", "300"], { isTerminal: true })).stderr).toContain(
      "\u001B[32m",
    );
  });

  it("writes to a file anywhere with --out, without printing", async () => {
    const out = join(temporary, "out here.txt");
    const { code, stdout } = await ccl(["pack", "--out", out]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(await readFile(out, "utf8")).toMatch(/^\[CONTEXT\]\n/);
  });

  it.skipIf(isWindows)("hands the pack to the clipboard program without a shell", async () => {
    const PATH = await fakeProgram("xclip", 'exec /bin/cat > "$0.copied"');
    const { code, stdout } = await ccl(["pack", "--copy"], { env: { PATH }, platform: "linux" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    const copied = (await readdir(PATH)).find((name) => name.endsWith(".copied")) ?? "";
    expect(await readFile(join(PATH, copied), "utf8")).toMatch(/^\[CONTEXT\]\n/);
  });

  it.skipIf(isWindows)(
    "stops with 130 when it is interrupted and leaves nothing behind",
    async () => {
      const name = process.platform === "darwin" ? "pbcopy" : "xclip";
      const PATH = await fakeProgram(name, "kill -INT $PPID\nexec /bin/sleep 30");
      const before = await listing(root);
      const interrupted = await spawnCcl(["pack", "--copy"], { env: { PATH } });
      expect(interrupted).toMatchObject({
        code: 130,
        stdout: "",
        stderr: expect.stringContaining("Interrupted"),
      });
      expect(await listing(root)).toEqual(before);
    },
  );
});

describe("a project", () => {
  it("goes from init through a pack, an edit and a delta to the next base", async () => {
    expect(await ccl(["init", "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("3 files named"),
    });
    const named = await readFile(join(root, ".ccl", "aliases.json"), "utf8");
    expect(await ccl(["init"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("already"),
    });
    expect(await readFile(join(root, ".ccl", "aliases.json"), "utf8")).toBe(named);

    const accepted = await json(["pack", "--accept"]);
    expect(accepted.document).toMatchObject({
      accepted: expect.stringMatching(/^ctx@[0-9a-f]{8}$/),
      unnamed: 0,
    });
    const pack = await readFile(join(root, ".ccl", "prompt.pack"), "utf8");
    expect(accepted.document).toMatchObject({ text: pack, written: [".ccl/prompt.pack"] });
    const baseId = (await readFile(join(root, ".ccl", "ctx", "base.sha"), "utf8")).trim();
    expect(accepted.document).toMatchObject({ accepted: baseId });
    expect(await ccl(["diff"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Nothing changed"),
    });

    await writeFile(
      join(root, "src", "greet.ts"),
      "export function greet(name: string, from: string): string {\n  return name + from;\n}\n",
    );
    const delta = await ccl(["diff", "--action", "update the callers"]);
    expect(delta.stdout).toMatch(new RegExp(`^BASE: ${baseId}\nDELTA:\n- H.greet: `));
    expect(delta.stdout).toMatch(/\nACTION: update the callers\n$/);
    const patch = await readFile(join(root, ".ccl", "ctx", "delta.patch"), "utf8");
    expect(patch).toContain("+  return name + from;");
    expect((await ccl(["diff", "--patch", "--show"])).stdout).toBe(patch);
    expect((await ccl(["pack", "--base", "--show"])).stdout).toMatch(
      /ver: A=1 B=1 C=0[^]*\[DELTA\]\n[^]*H\.greet/,
    );
  });

  it.each([
    { flags: ["--out", "p.md"], files: ["p.md"] },
    { flags: ["--out", "p[1].md", "--split", "1k"], files: ["p[1].1.md"] },
  ])("counts no pack written by $flags as a file of the project", async ({ flags, files }) => {
    await ccl(["init"]);
    await ccl(["pack", "--accept", ...flags]);
    for (const file of files) expect(await readFile(join(root, file), "utf8")).toContain("H.greet");
    expect(await json(["diff"])).toMatchObject({ code: 0, document: { changes: [], patch: "" } });
    await ccl(["pack", "--task", "greet", ...flags]);
    expect(await json(["diff"])).toMatchObject({ code: 0, document: { changes: [], patch: "" } });
    expect((await ccl(["alias", "list"])).stdout).not.toContain(files[0]);
  });

  it("keeps a delta within the budget, marks what it leaves out, and says if the pack was smaller", async () => {
    await ccl(["init"]);
    await ccl(["pack", "--accept"]);
    for (let index = 0; index < 60; index++) {
      await writeFile(join(root, "src", `file-number-${index}.md`), `# Title ${index}\n`);
    }
    const { document } = await json(["diff", "--budget", "300"]);
    expect(document).toMatchObject({
      prompt: expect.stringMatching(/\n\.\.\. \+\d+ changes$/),
      packTokens: expect.any(Number),
    });
    expect(document).toHaveProperty(
      "tokens",
      expect.toSatisfy((tokens) => tokens <= 300),
    );
    const { stderr } = await ccl(["diff", "--budget", "300", "--show"]);
    expect(stderr).toMatch(/60 changes .* tokens, the accepted pack has \d+; "ccl pack"/);
  });

  it("keeps its aliases by hand and by scan, and fails the check when one is stale", async () => {
    await ccl(["init"]);
    expect((await json(["alias", "add", "S.hello", "src/greet.ts"])).document).toMatchObject({
      path: "src/greet.ts",
      was: ["H.greet"],
    });
    expect((await ccl(["alias", "list"])).stdout).toMatch(
      /^S\.hello\t[0-9a-f]{8}\tsrc\/greet\.ts$/m,
    );
    expect(await ccl(["alias", "verify"])).toMatchObject({ code: 0, stderr: "" });
    await writeFile(join(root, "README.md"), "# Changed\n");
    await writeFile(join(root, "new.ts"), "export const isNew = true;\n");
    expect(await ccl(["alias", "verify"])).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^changed\tD\.readme\t/),
    });
    expect(await json(["alias", "verify"])).toMatchObject({
      code: 3,
      document: { isClean: false },
    });
    expect((await json(["alias", "scan"])).document).toMatchObject({
      added: ["H.new"],
      updated: ["D.readme"],
    });
    expect((await json(["cards", "build", "S.hello"])).document).toMatchObject({
      cards: [{ alias: "S.hello", file: ".ccl/cards/S.hello.md" }],
    });
    expect(await ccl(["alias", "rm", "S.hello"])).toMatchObject({ code: 0 });
    expect(await readdir(join(root, ".ccl", "cards"))).toEqual([]);
    expect((await json(["alias", "list"])).document).toHaveProperty("aliases.length", 3);
  });

  it("packs and lists files made after init, piped as on a terminal", async () => {
    await ccl(["init"]);
    await ccl(["pack", "--accept"]);
    await writeFile(join(root, "late.ts"), "export const isLate = true;\n");
    for (const args of [["pack", "--show"], ["pack"], ["pack", "--base"]]) {
      expect(await ccl(args)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/late\.ts H\.late\n[^]*isLate/),
        stderr: "",
      });
    }
    expect((await ccl(["expand", "H.late"])).stdout).toBe("export const isLate = true;\n");
    expect((await ccl(["diff"])).stdout).toContain("- H.late: ");
    await rm(join(root, "late.ts"));
    expect((await ccl(["pack"])).stdout).not.toContain("isLate");
    expect((await ccl(["diff"])).stderr).toContain("Nothing changed");
  });

  it("is only read by --show, and by commands that show", async () => {
    await ccl(["init"]);
    await ccl(["pack", "--accept"]);
    await writeFile(join(root, "README.md"), "# Changed\n");
    const before = await listing(root);
    for (const args of [
      ["pack", "--show"],
      ["diff", "--show"],
      ["alias", "list"],
      ["expand", "D.readme"],
      ["cards", "show", "H.main"],
    ]) {
      expect(await ccl(args)).toMatchObject({ code: 0 });
    }
    expect(await listing(root)).toEqual(before);
  });

  it("gives the same document again from what it kept, and another one after an edit", async () => {
    const command = ["pack", "--task", "Greet somebody", "--budget", "400"];
    const inFolder = await json(command);
    await ccl(["init"]);
    const first = await json([...command, "--show"]);
    await ccl(command);
    const second = await json([...command, "--show"]);
    expect(second).toEqual(first);
    expect(second.document).toMatchObject({ text: Object(inFolder.document).text });
    await writeFile(join(root, "src", "greet.ts"), "export const farewell = 1;\n");
    const edited = await json([...command, "--show"]);
    expect(edited.document).toMatchObject({ text: expect.stringContaining("farewell") });
    expect(Object(edited.document).rawTokens).not.toBe(Object(first.document).rawTokens);
  });

  it("takes from its cache what another process put there", async () => {
    const command = ["pack", "--model-encoding", "estimate", "--budget", "400"];
    await ccl(["init"]);
    // The times of files are kept only once these are old enough, so they come and go with the machine's speed.
    const derived = async (): Promise<string[]> => {
      const files = await listing(join(root, ".ccl", "cache"));
      return files.filter((file) => /^derived-(?!stat)/.test(file));
    };
    const first = await spawnCcl(command);
    const cache = await derived();
    expect(cache.join()).toContain("derived-facts-4-typescript.cache");
    expect(await spawnCcl(command)).toEqual(first);
    expect(await derived()).toEqual(cache);
    await writeFile(join(root, "src", "greet.ts"), "export const farewell = 1;\n");
    await spawnCcl(command);
    expect(await derived()).not.toEqual(cache);
  });

  it("may be an AdaOS folder, whose other records stay as they are", async () => {
    const records = '{\n  "D.readme": {"path":"README.md","sha":"00000000","owner":"me"}\n}\n';
    await mkdir(join(root, ".ado"));
    await writeFile(join(root, ".ado", "aliases.json"), records);
    const ado = ["--directory", ".ado"];
    const pack = await ccl(["pack", ...ado]);
    expect(pack.stdout).toContain("=== README.md D.readme\n");
    expect(pack.stderr).toBe('2 files without an alias; "ccl alias scan" names them\n');
    expect(await readFile(join(root, ".ado", "aliases.json"), "utf8")).toBe(records);
    await ccl(["alias", "add", "H.main", "src/main.ts", ...ado]);
    const changed = await readFile(join(root, ".ado", "aliases.json"), "utf8");
    expect(changed).toContain('  "D.readme": {"path":"README.md","sha":"00000000","owner":"me"}');
    expect((await readdir(root)).sort()).toEqual([".ado", "README.md", "src"]);
  });
});

describe("the command line", () => {
  it("takes the project from -C, before or behind the command", async () => {
    const here = { cwd: temporary };
    expect((await ccl(["-C", root, "expand", "H.greet"], here)).stdout).toContain("function greet");
    expect((await ccl(["expand", "H.greet", "--lines", "2", "-C", root], here)).stdout).toBe(
      "  return name;\n",
    );
  });

  it("has help for every command and loads nothing heavy for it", async () => {
    const { code, stdout } = await spawnCcl(["pack", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--budget <tokens>");
    expect(stdout).toContain("--json");
    const start = await readFile(program, "utf8");
    const [, runner = ""] = /await import\("(\.\/[^"]+)"\)/.exec(start) ?? [];
    const loaded = new Set([...(await staticImports("ccl.js")), ...(await staticImports(runner))]);
    expect([...loaded].filter((name) => !isBuiltin(name))).toEqual(["commander"]);
  });

  it.each([
    { args: ["pack", "--budget", "many"], code: 2, error: "usage" },
    { args: ["pack", "--no-such-flag"], code: 2, error: "usage" },
    { args: ["alias", "lst"], code: 2, error: "usage", message: "Did you mean list?" },
    { args: ["expand"], code: 2, error: "usage", message: "alias" },
    { args: ["expand", "H.greet", "H.main"], code: 2, error: "usage" },
    { args: ["pakc"], code: 2, error: "usage", message: "Did you mean pack?" },
    { args: ["-C", "no such folder", "pack"], code: 2, error: "usage", message: "no such folder" },
    { args: ["pack", "--show", "--accept"], code: 2, error: "usage" },
    { args: ["pack", "--accept"], code: 2, error: "not_initialized", message: "ccl init" },
    { args: ["alias", "list"], code: 2, error: "not_initialized", message: "ccl init" },
    {
      args: ["pack", "--focus", "src/nothing.ts"],
      code: 2,
      error: "input_invalid",
      message: "src/nothing.ts",
    },
    { args: ["expand", "H.gret"], code: 2, error: "input_invalid", message: "H.greet" },
    { args: ["expand", "H.greet@00000000"], code: 2, error: "input_invalid", message: "H.greet@" },
    { args: ["expand", "H.greet", "--lines", "9-1"], code: 2, error: "input_invalid" },
    { args: ["pack", "--profile", "PR.none"], code: 2, error: "input_invalid", message: "PR.none" },
    { args: ["pack", "--out", "src"], code: 2, error: "usage", message: "folder" },
    {
      args: ["pack", "--out", "no/such/folder/x.txt"],
      code: 2,
      error: "usage",
      message: "no/such/folder",
    },
    { args: ["pack", "--budget", "3"], code: 4, error: "budget_exceeded" },
  ])("answers $args with exit code $code and $error", async ({ args, code, error, message }) => {
    const answer = await json(args);
    expect(answer).toMatchObject({ code, document: { error: { code: error } } });
    expect(answer.document).toHaveProperty("error.message", expect.stringContaining(message ?? ""));
  });

  it("prints its help where a group has no command", async () => {
    expect(await ccl(["alias"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^Usage: ccl /),
    });
    expect(await ccl(["--help"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: ccl /),
      stderr: "",
    });
    expect(await ccl(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it("writes a failure as one line for people on stderr", async () => {
    const failed = await spawnCcl(["expand", "H.gret"]);
    expect(failed).toEqual({
      code: 2,
      stdout: "",
      stderr: 'ccl: There is no alias "H.gret". Nearest: H.greet.\n',
    });
  });

  it("says what to do next where nothing is near, stored or installed", async () => {
    const state = ["--state", join(temporary, "no-artifacts")];
    expect((await ccl(["expand", "zzz"])).stderr).toMatch(/"ccl pack" shows all names\.\n$/);
    expect((await ccl(["artifacts", "ls", ...state])).stderr).toContain("Nothing is stored here");
    const { code, stderr } = await ccl(["wrap", ...state, "--", "no-such-program"]);
    expect(code).toBe(2);
    expect(stderr).toContain('"no-such-program" can\'t be started. Check that it is installed');
    expect(stderr).not.toContain("No request came through");
  });

  it.skipIf(isWindows)("says what to install where there is no clipboard", async () => {
    const nowhere = { env: { PATH: temporary } };
    const { code, stderr } = await ccl(["pack", "--copy"], nowhere);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--out") });
    const onTerminal = await ccl(["pack", "--copy"], { ...nowhere, isTerminal: true });
    const [, copied = ""] = /\u001B\]52;c;([^\u0007]+)\u0007/.exec(onTerminal.stderr) ?? [];
    expect(Buffer.from(copied, "base64").toString()).toMatch(/^\[CONTEXT\]\n/);
  });

  it("refuses a damaged registry and leaves it alone", async () => {
    await mkdir(join(root, ".ccl"));
    await writeFile(join(root, ".ccl", "aliases.json"), '{"H.main":');
    expect(await json(["alias", "scan"])).toMatchObject({
      code: 2,
      document: { error: { code: "registry_corrupt" } },
    });
    expect(await readFile(join(root, ".ccl", "aliases.json"), "utf8")).toBe('{"H.main":');
  });

  it("ends with 5 when another process keeps the registry to itself", async () => {
    const { code, stdout } = await locked;
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "registry_locked" } });
  });
});
