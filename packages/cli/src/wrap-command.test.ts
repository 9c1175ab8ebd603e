import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, expect, it } from "vitest";

import { runCcl } from "./__fixtures__/run-ccl.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "ccl-wrap-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Wraps a client of some name, which is a script in shell. */
async function wrapped(
  name: string,
  script: string,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const bin = join(home, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const PATH = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const own = { PATH, HOME: home, CCL_STATE_DIR: join(home, "state"), ...env };
  return await runCcl(["wrap", ...flags, "--", join(bin, name)], { cwd: home, env: own });
}

it.each([
  ["exit 0", 0],
  ["exit 7", 7],
  ["kill -TERM $$", 143],
  ["kill -KILL $$", 137],
])("ends as the command that it ran: %s", async (script, code) => {
  const run = await wrapped("agent", script);
  expect(run.code).toBe(code);
  expect(run.stderr).toMatch(/agent goes to https:\/\/api\.openai\.com\/v1 through http:\/\/127/);
  expect(run.stderr).toContain("No request came through the proxy: ");
});

const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));

it("passes each signal on, also a second Ctrl-C, and ends when and as the command ends", async () => {
  const script = join(home, "agent.cjs");
  await writeFile(
    script,
    `let asked = 0;
    for (const name of ["SIGINT", "SIGHUP", "SIGTERM"])
      process.on(name, () => {
        console.log(name + " " + ++asked);
        if (name === "SIGTERM") process.exit(9);
      });
    setInterval(() => undefined, 1000);
    console.log("ready");`,
  );
  const child = spawn(process.execPath, [program, "wrap", "--", process.execPath, script], {
    env: { PATH: process.env["PATH"], HOME: home, CCL_STATE_DIR: join(home, "state") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  child.stderr.on("data", (piece) => (told += String(piece)));
  const said: string[] = [];
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGINT", "SIGHUP", "SIGTERM"];
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    expect(child.exitCode).toBeNull();
    const next = signals.shift();
    if (next !== undefined) child.kill(next);
  }
  if (child.exitCode === null) await once(child, "exit");
  expect(child.exitCode).toBe(9);
  expect(said).toEqual(["ready", "SIGINT 1", "SIGINT 2", "SIGHUP 3", "SIGTERM 4"]);
  expect(told).toContain("No request came through the proxy");
});

it("takes a command for an agent by its own name, not by its folder's", async () => {
  await mkdir(join(home, "claude", "codex"), { recursive: true });
  await symlink(process.execPath, join(home, "claude", "codex", "agent"));
  const env = { HOME: home, CCL_STATE_DIR: join(home, "state") };
  const command = [join(home, "claude", "codex", "agent"), "-e", "0"];
  const { code, stderr } = await runCcl(["wrap", "--", ...command], { cwd: home, env });
  expect(code).toBe(0);
  expect(stderr).toContain("goes to https://api.openai.com/v1 through");
});

it("says why nothing came through, where a variable leads past it, and only then", async () => {
  const detour = { CLAUDE_CODE_USE_BEDROCK: "1" };
  expect((await wrapped("claude", "exit 0", detour)).stderr).toContain(
    "CLAUDE_CODE_USE_BEDROCK is set",
  );
  const asks = `"${process.execPath}" -e 'fetch(process.env.ANTHROPIC_BASE_URL + "/v1/models")'`;
  const flags = ["--upstream", "http://127.0.0.1:9"];
  const { stderr } = await wrapped("claude", asks, detour, flags);
  expect(stderr).toContain("1 request, 0 with shorter results");
  expect(stderr).not.toContain("No request came");
  expect(stderr).toContain("ENABLE_TOOL_SEARCH=true");
});

it.each(["ANTHROPIC_BASE_URL", "CLAUDE_CODE_USE_VERTEX"])(
  "says why nothing came through, where the settings of Claude Code have %s",
  async (name) => {
    await mkdir(join(home, ".claude"));
    const settings = { env: { [name]: "http://127.0.0.1:9" } };
    await writeFile(join(home, ".claude", "settings.json"), JSON.stringify(settings));
    const { stderr } = await wrapped("claude", "exit 0");
    expect(stderr).toContain(`${name} of ${join(home, ".claude", "settings.json")} is set`);
  },
);

it("shows the variables that the command really gets", async () => {
  const { stdout, stderr } = await wrapped("claude", "exit 0", { ENABLE_TOOL_SEARCH: "false" });
  expect(stderr + stdout).toContain("with ENABLE_TOOL_SEARCH=false and ANTHROPIC_BASE_URL=");
});

const chatgpt = "https://chatgpt.com/backend-api/codex";
const api = "https://api.openai.com/v1";
const tokens = { access_token: "t" };
it.each<[string, object | undefined, Record<string, string>, string]>([
  ["a ChatGPT account", { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens }, {}, chatgpt],
  ["a ChatGPT account of an older version", { OPENAI_API_KEY: null, tokens }, {}, chatgpt],
  ["a key", { auth_mode: "apikey", OPENAI_API_KEY: "k" }, {}, api],
  ["a key beside an account", { auth_mode: "chatgpt", tokens }, { CODEX_API_KEY: "k" }, api],
  [
    "an account beside another address",
    { tokens },
    { OPENAI_BASE_URL: "http://127.0.0.1:9" },
    chatgpt,
  ],
])("leads Codex with %s to its own API", async (_, auth, env, upstream) => {
  await mkdir(join(home, ".codex"));
  await writeFile(join(home, ".codex", "auth.json"), JSON.stringify(auth));
  const run = await wrapped("codex", "exit 0", env);
  expect(run.code).toBe(0);
  expect(run.stderr).toContain(`codex goes to ${upstream} through `);
});

it("refuses Codex without a login that it can read, and names what to write", async () => {
  const run = await wrapped("codex", "exit 0");
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(`--upstream ${chatgpt}`);
  expect((await wrapped("codex", "exit 0", {}, ["--upstream", api])).code).toBe(0);
});
