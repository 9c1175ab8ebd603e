import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";

import { decidedSessions } from "@ccl/gateway";
import { openGatewayRecords } from "@ccl/gateway/node";
import { openSqlite } from "@ccl/sql/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { runCli } from "./run-cli.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "ccl-audit-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function ccl(
  argv: string[],
  input = "",
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ["", ""];
  const stream = (write: (text: string) => unknown) => ({ write, on: () => undefined });
  const terminal = Object.assign(new EventEmitter(), {
    stdin: Readable.from([input]),
    stdout: stream((text) => (stdout += text)),
    stderr: stream((text) => (stderr += text)),
    env: { HOME: home, CCL_STATE_DIR: join(home, "state"), ...env },
    platform: process.platform,
    cwd: () => home,
  });
  return { code: await runCli(argv, terminal), stdout, stderr };
}

async function keep(path: string, content: object | object[]): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  const lines = Array.isArray(content) ? content : [content];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join("\n"));
}

const file = Array.from({ length: 300 }, (_, at) => `const value${at} = take(${at * 7});`).join(
  "\n",
);

const claudeCode = (at: number, usage: object): object[] => [
  {
    type: "assistant",
    timestamp: new Date(1_760_000_000_000 + at * 1000).toISOString(),
    message: {
      id: `m${at}`,
      role: "assistant",
      model: "claude-sonnet-5-5",
      usage,
      content: [{ type: "tool_use", id: `c${at}`, name: "Read", input: { file_path: "a.ts" } }],
    },
  },
  {
    type: "user",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `c${at}`, content: file }],
    },
  },
];

describe("ccl audit", () => {
  it("reads what the three agents keep in a home folder, and says what was read again and what broke the cache", async () => {
    await keep(".claude/projects/-srv-shop/1.jsonl", [
      { type: "user", message: { role: "user", content: "What is value 7?" } },
      ...claudeCode(1, {
        input_tokens: 4000,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      }),
      ...claudeCode(2, {
        input_tokens: 10,
        cache_read_input_tokens: 3900,
        cache_creation_input_tokens: 3000,
      }),
      ...claudeCode(900, {
        input_tokens: 9000,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      }),
    ]);
    await keep(".codex/sessions/2026/01/rollout-1.jsonl", [
      { type: "session_meta", payload: { instructions: "You code." } },
      {
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Go." }] },
      },
      {
        type: "response_item",
        payload: { type: "function_call", name: "shell", arguments: "{}", call_id: "s1" },
      },
      {
        type: "response_item",
        payload: { type: "function_call_output", call_id: "s1", output: file },
      },
    ]);
    await keep(".codex/sessions/exported.json", {
      info: { id: "ses_1" },
      messages: [
        { info: { id: "msg_1", role: "user" }, parts: [{ type: "text", text: "Go." }] },
        {
          info: { id: "msg_2", role: "assistant", modelID: "gpt-5" },
          parts: [{ type: "tool", tool: "glob", callID: "g1", state: { input: {}, output: file } }],
        },
      ],
    });
    const { code, stdout } = await ccl(["audit", "--json"]);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ sessions: 3, left: 0, unread: [] });
    expect(report.repeats.count).toBe(2);
    expect(report.breaks).toMatchObject([{ cause: "pause", count: 1, lostTokens: 6910 }]);
    const tools = report.kinds.flatMap(({ tool }: { tool?: string }) => tool ?? []);
    expect(tools.sort()).toEqual(["Read", "glob", "shell"]);
    expect(report.safeUsd).toBeLessThan(report.directUsd);
    const text = await ccl(["audit"]);
    expect(text.stdout).toContain("result of Read\t3\t");
    expect(text.stdout).not.toContain("\u001B");
    expect(await readdir(home)).toEqual([".claude", ".codex"]);
  });

  it("reads messages as JSON and passes over what is none", async () => {
    await keep("logs/chat.json", {
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi" },
      ],
    });
    await keep("logs/other.json", { name: "other" });
    await writeFile(join(home, "logs", "broken.jsonl"), '{"type":"user","mess');
    const report = JSON.parse((await ccl(["audit", "logs", "--json"])).stdout);
    expect(report).toMatchObject({ sessions: 1, calls: 1 });
    const reasons = report.unread.map(({ path, reason }: Record<string, string>) => [
      path?.slice(home.length + 1),
      reason,
    ]);
    expect(Object.fromEntries(reasons)).toEqual({
      "logs/broken.jsonl": "not JSON",
      "logs/other.json": expect.stringContaining("no messages of Claude Code, Codex"),
    });
    const { stderr } = await ccl(["audit", "logs"]);
    expect(stderr).toContain("broken.jsonl (not JSON)");
    const one = JSON.parse((await ccl(["audit", "logs/chat.json", "--json"])).stdout);
    expect(one).toMatchObject({ sessions: 1, files: 1, unread: [] });
  });

  it("says how to read the database of opencode", async () => {
    await keep(".local/share/opencode/opencode.db", {});
    const report = JSON.parse((await ccl(["audit", "--json"])).stdout);
    expect(report.sessions).toBe(0);
    expect(report.unread).toMatchObject([
      { reason: expect.stringContaining("opencode export <session>") },
    ]);
  });

  it("says where it looked when there is nothing", async () => {
    const { code, stderr } = await ccl(["audit"]);
    expect(code).toBe(2);
    expect(stderr).toContain(join(home, ".codex", "sessions"));
  });
});

describe("ccl without a command", () => {
  async function commit(subject: string): Promise<void> {
    const name = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    await git("add", "--all");
    await git(...name, "commit", "--quiet", "-m", subject);
  }
  const git = (...args: string[]) => promisify(execFile)("git", ["-C", home, ...args]);

  it("shows what sessions cost, and a pack of the folder before the newest commit", async () => {
    await git("init", "--quiet");
    await keep("src/upload.ts", {});
    await writeFile(join(home, "src/upload.ts"), "export function upload(): void {}\n");
    await writeFile(join(home, "src/other.ts"), "export const other = 1;\n");
    await commit("Begin");
    await writeFile(join(home, "src/upload.ts"), "export function upload(): void { retry(); }\n");
    await writeFile(join(home, "src/added.ts"), "export const marker = 1;\n");
    await commit("Retry the upload");
    await keep(".claude/projects/-srv-shop/1.jsonl", [
      { type: "user", message: { role: "user", content: "What is value 7?" } },
      ...claudeCode(1, { input_tokens: 4000 }),
      ...claudeCode(2, { input_tokens: 10, cache_read_input_tokens: 3900 }),
    ]);
    const before = await readdir(home, { recursive: true });
    const { code, stdout } = await ccl(["--json"]);
    expect(code).toBe(0);
    const { agents, commit: shown } = JSON.parse(stdout);
    expect(agents).toMatchObject({ sessions: 1, unpriced: 0 });
    // `src/added.ts` was not there before the commit, so it is neither in the pack nor in the list.
    const changed = [{ path: "src/upload.ts", level: "full", rank: 1 }];
    expect(shown).toMatchObject({ subject: "Retry the upload", files: 2, changed });
    const text = await ccl(["-C", home]);
    expect(text.stdout).toContain("src/upload.ts\tfull\t1\n");
    expect(text.stdout).toMatch(/cost \$0\.0\d by estimate. safe, .* would have cost \$0\.0/);
    expect(await readdir(home, { recursive: true })).toEqual(before);
  });

  it("shortens a log where there is neither", async () => {
    const { code, stdout } = await ccl([]);
    expect(code).toBe(0);
    expect(stdout).toContain("job 271 failed: disk quota exceeded");
    expect((await ccl(["-C", "nowhere"])).code).toBe(2);
    expect((await ccl(["pakc"])).stderr).toContain("Did you mean pack?");
  });
});

describe("ccl shrink", () => {
  const log = Array.from({ length: 900 }, (_, at) =>
    at === 611
      ? "ERROR volume vol-77 is gone"
      : `INFO request ${at * 31} served by worker ${at % 7} for user${at}`,
  ).join("\n");

  it("shows what went wrong, and names the command that finds the rest", async () => {
    const shrunk = await ccl(["shrink", "why red?", "--budget", "200"], log);
    expect(shrunk.stdout).toContain("ERROR volume vol-77 is gone");
    const id = /ccl artifacts search ([0-9a-f]{12}) /.exec(shrunk.stdout)?.[1] ?? "none";
    const found = await ccl(["artifacts", "search", id, "request", "12400"]);
    expect(found.stdout).toContain("request 12400 served by worker 1");
    expect((await ccl(["artifacts", "read", id, "--lines", "612"])).stdout).toContain("vol-77");
    await ccl(["shrink", "why red again?", "--budget", "200"], log);
    const listed = (await ccl(["artifacts", "ls"])).stdout.trimEnd().split("\n");
    expect(listed).toEqual([expect.stringContaining("why red again?")]);
    expect(JSON.parse((await ccl(["artifacts", "read", id, "--json"])).stdout).text).toBe(log);
    const database = await openSqlite({ path: join(home, "state/artifacts.db") });
    database.exec("UPDATE artifact_handles SET summary = 'x' WHERE summary LIKE '%again%'");
    database.close();
    const [first, second] = (await ccl(["artifacts", "ls"])).stdout.split("\n");
    expect(first).toContain("why red?");
    expect(second).toContain(`${id}\t\t\t\tthe handle is damaged`);
  });

  it("passes on what is short, and keeps nothing of it", async () => {
    expect((await ccl(["shrink"], "ok\n")).stdout).toBe("ok\n");
    expect(await readdir(home)).toEqual([]);
  });

  it.each([["ffffffffffff"], ["../../etc/passwd"]])("refuses the handle %s", async (id) => {
    const { code, stderr } = await ccl(["artifacts", "read", id]);
    expect(code).toBe(2);
    expect(stderr).toContain("There is no artifact");
  });
});

describe("ccl hooks", () => {
  const places = {
    "claude-code": [".claude/settings.json", '{\n    "theme": "dark",\n    "hooks": {}\n}\n'],
    codex: [".codex/AGENTS.md", "# Mine\n\nUse tabs.\n"],
    opencode: [".config/opencode/plugins/ccl-shrink.js", undefined],
  } as const;

  it.each(Object.entries(places))(
    "%s: writes once, and leaves no more than was there",
    async (client, [path, before]) => {
      const file = join(home, path);
      if (before !== undefined) {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, before);
      }
      const shown = await ccl(["hooks", "install", client, "--show"]);
      expect(shown.stdout).toContain("@ccl/cli");
      expect(await readFile(file, "utf8").catch(() => undefined)).toBe(before);
      expect((await ccl(["hooks", "install", client])).code).not.toBe(0);
      expect((await ccl(["hooks", "install", client, "--yes"])).stdout).toContain(
        `ccl hooks uninstall ${client}`,
      );
      const written = await readFile(file, "utf8");
      expect(written).toContain("@ccl/cli");
      expect((await ccl(["hooks", "install", client, "--yes"])).stdout).toContain(
        "Nothing to change",
      );
      expect(await readFile(file, "utf8")).toBe(written);
      expect((await ccl(["hooks", "uninstall", client, "--yes"])).code).toBe(0);
      const after = await readFile(file, "utf8").catch(() => undefined);
      expect(after).toBe(before);
    },
  );

  it("answers a hook of Claude Code with the result in its place, which can be read back, or not at all", async () => {
    const hook = (stdout: string): string =>
      JSON.stringify({
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_input: { command: "cat a.ts", description: "Look for value217" },
        tool_response: { stdout, stderr: "", interrupted: false },
      });
    const { stdout } = await ccl(["shrink", "--hook"], hook(file));
    const { hookSpecificOutput } = JSON.parse(stdout);
    expect(hookSpecificOutput).toMatchObject({
      hookEventName: "PostToolUse",
      updatedToolOutput: { stderr: "", interrupted: false },
    });
    const shown: string = hookSpecificOutput.updatedToolOutput.stdout;
    expect(shown).toContain("value217");
    expect(shown.length).toBeLessThan(file.length);
    const id = /artifacts search (\w+)/.exec(shown)?.[1] ?? "";
    expect((await ccl(["artifacts", "search", id, "value113"])).stdout).toContain("value113");
    // Of a long output Claude Code gives the beginning, and the file of the whole.
    await writeFile(join(home, "whole.txt"), file);
    const long = JSON.parse(hook("begin"));
    long.tool_response.persistedOutputPath = join(home, "whole.txt");
    const answer = (await ccl(["shrink", "--hook"], JSON.stringify(long))).stdout;
    expect(JSON.parse(answer)).toEqual(JSON.parse(stdout));
    for (const short of [hook("ok"), "no JSON", "{}"])
      expect((await ccl(["shrink", "--hook"], short)).stdout).toBe("");
  });
});

describe("ccl artifacts prune", () => {
  it("takes what is old, but not what a session shows that had a request since", async () => {
    const shrunk = async (seed: string): Promise<string> => {
      const { stdout } = await ccl(["shrink", seed], file.replaceAll("value", seed));
      return /artifacts search (\w+)/.exec(stdout)?.[1] ?? "";
    };
    const [forgotten, live, ended] = [
      await shrunk("one"),
      await shrunk("two"),
      await shrunk("three"),
    ];
    const decide = (name: string, id: string): Promise<void> =>
      keep(`state/decisions/${name}.jsonl`, {
        at: name,
        credit: 0,
        edits: [[1, { text: `[rest: ccl artifacts search ${id} "words"]`, form: "cut" }]],
      });
    await decide("live", live);
    await decide("ended", ended);
    const longAgo = new Date(Date.now() - 90 * 86_400_000);
    await utimes(join(home, "state/decisions/ended.jsonl"), longAgo, longAgo);
    const later = new Date(Date.now() + 60_000);
    await utimes(join(home, "state/decisions/live.jsonl"), later, later);
    expect((await ccl(["artifacts", "prune"])).stdout).toContain("removed 0 artifacts");
    // Everything is older than an instant; sessions of that instant are in use.
    const tried = await ccl(["artifacts", "prune", "--days", "0", "--dry-run"]);
    expect(tried.stdout).toContain("would remove 2 artifacts");
    expect((await ccl(["artifacts", "prune", "--days", "0"])).stdout).toContain(
      "removed 2 artifacts",
    );
    expect((await ccl(["artifacts", "read", live])).stdout).toContain("two217");
    for (const id of [forgotten, ended])
      expect((await ccl(["artifacts", "read", id])).code).not.toBe(0);
    const records = await openGatewayRecords(join(home, "state"));
    expect([...(await decidedSessions(records)).keys()]).toEqual(["live"]);
    await records.close();
  });
});
