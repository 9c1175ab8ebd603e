import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { connectMcpServer } from "@ccl/mcp";
import { type ReceivedCall, startTestServer, type TestBehaviour } from "@ccl/providers/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { runCcl } from "./__fixtures__/run-ccl.ts";
import { mcpSettings } from "./settings/mcp-settings.ts";
import { openSession, type Session } from "./session.ts";

async function sessionIn(home: string): Promise<Session> {
  const stream = { write: () => true, on: () => undefined };
  const terminal = {
    stdin: {},
    stdout: stream,
    stderr: stream,
    env: { HOME: home },
    platform: "linux" as const,
    cwd: () => home,
  };
  return await openSession({}, { terminal, signal: new AbortController().signal });
}

async function temporaryHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "ccl-home-"));
  onTestFinished(() => rm(home, { recursive: true }));
  return home;
}

describe("ccl mcp install", () => {
  it.each(["claude-code", "codex", "cursor", "vscode", "opencode"])(
    "adds ccl to the settings of %s once, and takes out no more than that",
    async (name) => {
      const session = await sessionIn(await temporaryHome());
      const settings = mcpSettings.get(name)?.(session, false);
      if (settings === undefined) throw new Error(name);
      const before =
        name === "codex"
          ? 'model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n'
          : `${JSON.stringify({ theme: "dark", mcpServers: { other: { command: "y" } } }, null, 2)}\n`;
      const after = settings.edit(before);
      expect(after).toContain("@ccl/cli");
      expect(settings.edit(after)).toBe(after);
      const undone = settings.remove(after);
      expect(undone).toBe(before);
      expect(settings.remove(settings.edit(""))).toBe("");
    },
  );

  it("writes below the home folder, and refuses settings that it can't read", async () => {
    const { installCommand } = await import("./commands/install.ts");
    const [add, takeOut] = [installCommand("mcp", "install"), installCommand("mcp", "uninstall")];
    const home = await temporaryHome();
    const session = await sessionIn(home);
    await add(session, "claude-code", { yes: true });
    const path = join(home, ".claude.json");
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      mcpServers: { ccl: { command: "npx" } },
    });
    await takeOut(session, "claude-code", { yes: true });
    await expect(readFile(path, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(path, "{ theme: dark }");
    await expect(add(session, "claude-code", { yes: true })).rejects.toMatchObject({
      code: "usage",
    });
    for (const unknown of ["emacs", "toString"])
      await expect(add(session, unknown, { yes: true })).rejects.toMatchObject({ code: "usage" });
    const unasked = add(session, "cursor", {});
    await expect(unasked).rejects.toMatchObject({ code: "confirmation_required" });
  });
});

describe("ccl mcp proxy", () => {
  it("listens where its options say, which `ccl mcp` has too", async () => {
    const cwd = await temporaryHome();
    await writeFile(join(cwd, "mcp.json"), '{"mcpServers":{"none":{"command":"true"}}}');
    const stop = new AbortController();
    const run = await runCcl(
      ["mcp", "proxy", "--config", "mcp.json", "--http", "--host", "localhost", "--state", "own"],
      { cwd, interrupt: stop.signal, onError: () => stop.abort() },
    );
    expect(run.stderr).toContain("listening at http://localhost:");
    expect(await readdir(cwd)).toContain("own");
  });
});

describe("ccl mcp doctor", () => {
  const answering = (tools: unknown): object => ({
    command: process.execPath,
    args: [
      "-e",
      `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line);
        const result = method === "initialize"
          ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
          : { tools: ${JSON.stringify(tools)} };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });`,
    ],
  });

  it("says of each server what is wrong, beside one that is right", async () => {
    const cwd = await temporaryHome();
    const tool = { name: "get", description: "Gets.", inputSchema: { type: "object" } };
    const mcpServers = {
      right: answering([tool]),
      renamed: answering([{ ...tool, name: "get.it" }]),
      changed: answering([{ ...tool, description: null }, { name: "bare" }]),
      twice: answering([tool, tool]),
      broken: answering("none"),
      ends: { command: process.execPath, args: ["-e", ""] },
      missing: { command: join(cwd, "no-such-command") },
    };
    await writeFile(join(cwd, "mcp.json"), JSON.stringify({ mcpServers }));
    const run = await runCcl(["mcp", "doctor", "--config", "mcp.json"], { cwd });
    const lines = run.stdout.split("\n").map((line) => line.replace(/tokens: \d+/, "tokens: N"));
    expect(lines.slice(0, 9).map((line) => line.replace(/ +/g, " "))).toEqual([
      "ok right tools: 1, tokens: N",
      "ok renamed tools: 1, tokens: N",
      expect.stringMatching(/^hint renamed get\.it is listed as renamed__get_it/),
      "ok changed tools: 2, tokens: N",
      "hint changed get: its description is not a string",
      "hint changed bare: its inputSchema is not a plain object",
      "ok twice tools: 1, tokens: N",
      "hint twice tools without a name, or listed twice: 1",
      expect.stringMatching(/^problem broken /),
    ]);
    expect(lines.slice(9)).toEqual([
      expect.stringMatching(/^problem +ends /),
      expect.stringMatching(/^problem +missing .*no-such-command/),
      "",
    ]);
    expect(run.code).not.toBe(0);
    const right = JSON.stringify({ mcpServers: { right: mcpServers.right } });
    await writeFile(join(cwd, "mcp.json"), right);
    expect(await runCcl(["mcp", "doctor", "--config", "mcp.json"], { cwd })).toMatchObject({
      code: 0,
    });
  });
});

describe("ccl mcp proxy in a project", () => {
  it("learns which calls succeed, which doctor tells, unless it is told not to", async () => {
    const cwd = await temporaryHome();
    const server = fileURLToPath(
      new URL("../../mcp/src/__fixtures__/notifying-server.mjs", import.meta.url),
    );
    const mcpServers = { says: { command: process.execPath, args: [server] } };
    await writeFile(join(cwd, "mcp.json"), JSON.stringify({ mcpServers }));
    const state = join(cwd, "state");
    const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, CCL_STATE_DIR: state };
    const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
    const args = ["mcp", "proxy", "--config", "mcp.json"];
    const learned = async (...more: string[]): Promise<string> => {
      const started = { command: process.execPath, args: [program, ...args, ...more], cwd, env };
      const client = await connectMcpServer(started);
      await client.callTool({ name: "echo", arguments: { text: "hi" } });
      await client.close();
      const run = await runCcl(["mcp", "doctor", "--config", "mcp.json", "--state", state], {
        cwd,
      });
      return run.stdout;
    };
    expect(await learned("--no-learning")).not.toContain("successful");
    expect(await learned()).toMatch(/ok +says__echo +1 successful call\n/);
    expect(await learned()).toMatch(/ok +says__echo +2 successful calls\n/);
  });
});

describe("ccl mcp with a model", () => {
  it("has a task worked out, and finds again what the model read", async () => {
    const home = await temporaryHome();
    const lines = Array.from({ length: 400 }, (_, at) =>
      at === 300 ? "step 300 failed: disk full" : `step ${at} took ${(at * 7919) % 997} ms`,
    );
    await writeFile(join(home, "build.log"), lines.join("\n"));
    const respond = ({ body }: ReceivedCall): TestBehaviour =>
      JSON.stringify(body).includes("call_read")
        ? { type: "answer", text: "The disk is full." }
        : {
            type: "answer",
            toolCalls: [{ id: "call_read", name: "get_alias", arguments: '{"alias":"build.log"}' }],
          };
    const server = await startTestServer({ respond });
    onTestFinished(() => server.close());
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      XDG_STATE_HOME: join(home, "state"),
      CCL_MODEL: "openai/test",
      CCL_MODEL_BASE_URL: server.baseUrl("openai"),
      CCL_MODEL_API_KEY: "none",
    };
    const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
    const started = { command: process.execPath, args: [program, "mcp"], cwd: home, env };
    const client = await connectMcpServer(started);
    onTestFinished(() => client.close());
    const steps: unknown[] = [];
    const answer = await client.callTool(
      { name: "orchestrate_compiled", arguments: { task: "Why did the build fail?" } },
      { onprogress: ({ message }) => steps.push(message) },
    );
    expect(answer.content).toEqual([
      { type: "text", text: expect.stringMatching(/^The disk is full\.\n\[artifact \w{12}: /) },
    ]);
    expect(steps[0]).toBe("get_alias");
    const handle = /artifact (\w{12})/.exec(JSON.stringify(answer.content))?.[1];
    const search = { handle, query: "failed" };
    const found = await client.callTool({ name: "search_artifact", arguments: search });
    expect(JSON.stringify(found.content)).toContain("step 300 failed: disk full");
  });
});
