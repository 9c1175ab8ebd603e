import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { estimatedCounter } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { runCcl, type CclRun, type RunCclOptions } from "./__fixtures__/run-ccl.ts";

let folder: string;
let root: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-options-"));
  root = join(folder, "project");
  put("src/greet.ts", "export function greet(name: string): string {\n  return name;\n}\n");
  put("src/main.ts", 'import { greet } from "./greet.ts";\n\ngreet("you");\n');
  put("README.md", "# Greetings\n\nSays hello.\n");
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function git(...args: string[]): string {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  return execFileSync("git", ["-C", root, ...identity, ...args], { encoding: "utf8" });
}

function commit(subject: string): void {
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "-m", subject);
}

async function pack(args: string[], options: Partial<RunCclOptions> = {}): Promise<CclRun> {
  return await runCcl(["pack", "--model-encoding", "estimate", ...args], { cwd: root, ...options });
}

describe("ccl pack", () => {
  it("shows a repository that fits whole when there is no task, its decisions too", async () => {
    const decision = `# Use files\n\n## Decision\n${"We keep files.\n".repeat(100)}`;
    put("docs/decisions/ADR-1.md", decision);
    const { stdout } = await pack(["--budget", "4k"]);
    for (const path of ["src/greet.ts", "src/main.ts", "README.md", "docs/decisions/ADR-1.md"])
      expect(stdout).toContain(readFileSync(join(root, path), "utf8"));
    expect((await pack(["--budget", "4k", "--task", "greet"])).stdout).not.toContain(decision);
  });

  it("prints references and cards alone in the document's form", async () => {
    put(
      "schemas/entities.schema.json",
      '{"type":"object","properties":{"text":{"type":"string"}}}',
    );
    put("docs/adr/ADR-1.md", "# Use JSON\n\n## Decision\nO1\n");
    const { stdout } = await pack(["--style", "document", "--task", "greet in French"]);
    expect(stdout).toMatch(/^## skill: project {2}ver: A=0 B=0 C=0\n## include by alias/);
    expect(stdout).toMatch(/^SCHEMA: S\.entities@[0-9a-f]{8} \(json-only\)$/m);
    expect(stdout).toMatch(/^ADR: A\.ADR1@[0-9a-f]{8}$/m);
    expect(stdout).toMatch(
      /\nTASK: greet in French\n\nIf you need full text of an alias, call tool: /,
    );
    expect(stdout).not.toContain("return name;");
    const small = await pack(["--style", "document", "--budget", "130", "--json"]);
    const { text, omitted } = JSON.parse(small.stdout);
    expect(estimatedCounter.count(text)).toBeLessThanOrEqual(117);
    expect(omitted.length).toBeGreaterThan(0);
    expect(await pack(["--style", "document", "--budget", "5"])).toMatchObject({ code: 4 });
  });

  it("takes its settings from ccl.config.json, under the flags, and refuses wrong ones", async () => {
    put("rules.txt", "Write tests first.\n");
    const settings = { budget: 400, ignore: ["*.md"], style: "xml", instructionFile: "rules.txt" };
    put("ccl.config.json", JSON.stringify(settings));
    const { stdout } = await pack(["--task", "greet"]);
    expect(stdout).toMatch(/<instruction>\nWrite tests first\.\n\ngreet\n/);
    expect(stdout).not.toContain("README.md");
    expect(JSON.parse((await pack(["--json"])).stdout)).toMatchObject({ budget: 400 });
    const over = await pack(["--style", "plain", "--budget", "500", "--json"]);
    expect(JSON.parse(over.stdout)).toMatchObject({
      budget: 500,
      text: expect.stringMatching(/^\[CONTEXT\]/),
    });
    put("ccl.config.json", '{"budget": "1.5k"}');
    expect(JSON.parse((await pack(["--json"])).stdout)).toMatchObject({ budget: 1500 });
    put("ccl.config.json", '{"budget": "much", "colour": true}');
    const wrong = await pack([]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/ccl\.config\.json: budget .*\n.*colour/);
  });

  it("packs just the files that stdin lists, and says which are none", async () => {
    const options = { cwd: join(root, "src"), stdin: "main.ts\ngone.ts\n" };
    const { stdout, stderr } = await pack(["--stdin", "-C", root], options);
    expect(stdout.match(/^=== .*/gm)).toEqual(["=== src/main.ts H.main"]);
    expect(stderr).toBe("ccl: not packed, since they are not files of the project: src/gone.ts\n");
    const nul = await pack(["--stdin"], { stdin: "src/main.ts\0README.md\0" });
    expect(nul.stdout.match(/^=== /gm)).toHaveLength(2);
    expect(await pack(["--stdin"], { stdin: "" })).toMatchObject({ code: 2, stdout: "" });
  });

  it("adds what changed in the working tree and the latest commits, secrets masked", async () => {
    commit("Greet people");
    const key = `sk-ant-api03-${"Ab3".repeat(20)}`;
    put("src/main.ts", `export const key = "${key}";\n`);
    put("новый.md", "# New\n");
    const { stdout } = await pack(["--diff", "--log", "5"]);
    expect(stdout).toMatch(/^=== diff\n[^]*-greet\("you"\);\n\+export const key/m);
    expect(stdout).toContain("\nnew file: новый.md\n");
    expect(stdout).toMatch(/^=== log\n[0-9a-f]+ \d{4}-\d\d-\d\d Greet people\nREADME\.md\n/m);
    expect(stdout).not.toContain(key);
    const bare = await pack(["--diff"], { cwd: join(folder) });
    expect(bare).toMatchObject({ code: 2, stderr: expect.stringMatching(/git repository/) });
  });

  it("clones a repository, packs it by its own files and leaves nothing behind", async () => {
    put("ccl.config.json", '{"budget": 1}');
    commit("Greet people");
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    vi.stubEnv("TMPDIR", temporary);
    const options = { cwd: elsewhere };
    const { code, stdout } = await pack(["--remote", root, "--branch", "main"], options);
    expect(code).toBe(0);
    expect(stdout).toContain("=== src/greet.ts H.greet\n");
    expect([...readdirSync(elsewhere), ...readdirSync(temporary)]).toEqual([]);
    const none = await pack(["--remote", "https://me:secret@127.0.0.1:1/x.git"], options);
    expect(none).toMatchObject({ code: 8, stderr: expect.stringMatching(/cannot be cloned/) });
    expect(none.stderr).not.toContain("secret");
    expect(await pack(["--remote", root, "--accept"], options)).toMatchObject({ code: 2 });
  });

  it("splits into files of at most so many tokens, none of which is packed again", async () => {
    const args = ["--out", "pack.md", "--split", "60"];
    await pack(args);
    const parts = readdirSync(root).filter((name) => name.startsWith("pack."));
    expect(parts.length).toBeGreaterThan(2);
    const texts = parts.map((name) => readFileSync(join(root, name), "utf8"));
    for (const text of texts) expect(estimatedCounter.count(text)).toBeLessThanOrEqual(60);
    const whole = texts.map((text) => text.replace(/^\(part \d+\)\n/, "")).join("\n");
    expect(whole).toBe((await pack(["--ignore", "pack.*"])).stdout);
    await pack(args);
    expect(readdirSync(root).filter((name) => name.startsWith("pack."))).toEqual(parts);
    expect(await pack(["--split", "60"])).toMatchObject({ code: 2 });
    put("src/data.txt", `${"word ".repeat(100)}\n`);
    const long = await pack(args);
    expect(long).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/src\/data\.txt.*--ignore/),
    });
  });

  it("shows where the tokens are, and which files are not UTF-8", async () => {
    put("src/old.txt", Buffer.from("caf\u00E9\n", "latin1"));
    put("src/wide.txt", Buffer.from("\uFEFFgreet widely\r\n", "utf16le"));
    const { stdout, stderr } = await pack(["--tree"]);
    expect(stdout).toContain("=== src/old.txt D.old, read as latin1\ncafé\n");
    expect(stdout).toContain("=== src/wide.txt D.wide, read as utf-16le\ngreet widely\r\n");
    expect(stderr).toMatch(/^ccl: not UTF-8: .*src\/old\.txt \(latin1\)/m);
    expect(stderr).toMatch(/^ *\d+ of ~ *\d+ {2}\.\n *\d+ of ~ *\d+ {4}src\/\n/m);
  });

  it("writes anew whenever a file changes", async () => {
    const stop = new AbortController();
    const out = join(root, "pack.md");
    const seen: string[] = [];
    const running = pack(["--watch", "--out", out], {
      onError: (text) => {
        seen.push(text);
        if (seen.length === 1) put("src/late.ts", "export const isLate = true;\n");
        else stop.abort();
      },
      interrupt: stop.signal,
    });
    expect(await running).toMatchObject({ code: 130 });
    expect(seen[1]).toMatch(/pack\.md: \d+ tokens \(1 file changed\)\n$/);
    expect(readFileSync(out, "utf8")).toContain("isLate");
  });
});

describe("what a pack leaves out", () => {
  it("refuses to pack no file, and says which rules leave none", async () => {
    const none = await pack(["--include", "lib/**"]);
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(none.stderr).toMatch(/^ccl: No file in .* can be packed with the rules lib\/\*\*; /);
    rmSync(root, { recursive: true });
    put("logo.png", new Uint8Array([0, 1, 2, 0]));
    const empty = await pack([]);
    expect(empty).toMatchObject({ code: 2, stdout: "" });
    expect(empty.stderr).toMatch(/No file in .* can be packed \(left out: 1 binary\)/);
    expect(await runCcl(["explain", "logo.png"], { cwd: root })).toMatchObject({ code: 2 });
  });

  it("counts what it does not show, and lists it with reasons", async () => {
    put("logo.png", new Uint8Array([0, 1, 2, 0]));
    put("large.txt", "x".repeat(1024 * 1024 + 1));
    put("empty.txt", "");
    expect(JSON.parse((await pack(["--json"])).stdout).omitted).toEqual([
      expect.objectContaining({ path: "empty.txt", reason: "empty" }),
      { path: "large.txt", reason: "too_large" },
      { path: "logo.png", reason: "binary" },
    ]);
    expect((await pack([])).stderr).toBe(
      "ccl: not shown: 3 files: 1 empty, 1 too large, 1 binary\n",
    );
    expect((await pack(["--include", "src/**"])).stderr).toBe("");
  });

  it("explains why a file is not there", async () => {
    put("logo.png", new Uint8Array([0, 1, 2, 0]));
    put(".env", "KEY=1\n");
    put("src/long.txt", `${"x".repeat(40_000)}\n`);
    const explained = async (...args: string[]): Promise<string> => {
      const all = ["explain", ...args, "--model-encoding", "estimate"];
      const { stdout, stderr } = await runCcl(all, { cwd: root });
      return stdout + stderr;
    };
    expect(await explained("logo.png")).toContain(
      "logo.png is in no pack. It is left out: binary.",
    );
    expect(await explained(".env")).toContain("ignored (left out by default: .env).");
    put("src/.cclignore", "*.log\n");
    put("src/a.log", "a\n");
    expect(await explained("src/a.log")).toContain("ignored (src/.cclignore: *.log).");
    expect(await explained("README.md", "--include", "src/**")).toContain(
      "left out: by --include, --ignore",
    );
    expect((await pack([])).stderr).toBe("ccl: not shown: 3 files: 2 ignored, 1 binary\n");
    expect(await explained("src/long.txt", "--task", "greet", "--budget", "300")).toMatch(
      /not shown: the whole file takes 5,\d+ tokens, and files with a better rank fill the budget of 300; --focus shows it in full\n$/,
    );
  });
});

describe("ccl doctor", () => {
  it("says what is there, and fails where the settings are wrong", async () => {
    const healthy = await runCcl(["doctor"], { cwd: root });
    expect(healthy.code).toBe(0);
    expect(healthy.stdout).toMatch(/^ok +settings +no ccl\.config\.json$/m);
    expect(healthy.stdout).toMatch(/^hint +git +no repository/m);
    put("ccl.config.json", "{");
    const { code, stdout } = await runCcl(["doctor", "--json"], { cwd: root });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ isHealthy: false });
  });
});
