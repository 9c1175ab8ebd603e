import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

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

it("says why nothing came through, where the settings of Claude Code lead past it", async () => {
  await mkdir(join(home, ".claude"));
  const settings = { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } };
  await writeFile(join(home, ".claude", "settings.json"), JSON.stringify(settings));
  const { stderr } = await wrapped("claude", "exit 0");
  expect(stderr).toContain(
    `ANTHROPIC_BASE_URL of ${join(home, ".claude", "settings.json")} is set`,
  );
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
