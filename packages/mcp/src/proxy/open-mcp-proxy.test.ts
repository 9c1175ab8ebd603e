import { createRequire } from "node:module";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { Client, Tool } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";

import { connectedClient } from "../__fixtures__/connected-client.ts";
import { type McpProxy, type McpProxyOptions, openMcpProxy } from "./open-mcp-proxy.ts";

const { resolve } = createRequire(import.meta.url);
const command = process.execPath;
const everything = {
  command,
  args: [
    dirname(resolve("@modelcontextprotocol/server-everything/package.json")) + "/dist/index.js",
  ],
};
const memoryServer =
  dirname(resolve("@modelcontextprotocol/server-memory/package.json")) + "/dist/index.js";
const filesServer =
  dirname(resolve("@modelcontextprotocol/server-filesystem/package.json")) + "/dist/index.js";

const notifying = new URL("../__fixtures__/notifying-server.mjs", import.meta.url).href;
const absent = { command: "no-such-program-of-mcp" };

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function openProxy(options: McpProxyOptions): Promise<{ client: Client; proxy: McpProxy }> {
  const proxy = await openMcpProxy(options);
  closers.push(() => proxy.close());
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const client = await connectedClient(proxy.factory, { capabilities }, (one) => {
    one.setRequestHandler("sampling/createMessage", () => ({
      model: "scripted",
      role: "assistant",
      content: { type: "text", text: "sampled" },
    }));
    one.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///somewhere" }] }));
  });
  closers.push(() => client.close());
  return { client, proxy };
}

/** Once each server has been tried. */
async function openStarted(options: McpProxyOptions): Promise<{ client: Client; proxy: McpProxy }> {
  const opened = await openProxy(options);
  const problems = (): unknown[] =>
    Object.values(opened.proxy.statistics().servers).map(({ problem }) => problem);
  await vi.waitUntil(() => !problems().includes("it is starting"), { timeout: 50_000 });
  return opened;
}

/** With the list of the tools, in a time in which 2 s are over as soon as the event loop has turned 2,000 times. */
async function openWithoutWaiting(
  options: McpProxyOptions,
): Promise<{ client: Client; proxy: McpProxy; tools: Tool[] }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const listing = openProxy(options).then(async (opened) => ({
    ...opened,
    ...(await opened.client.listTools()),
  }));
  const wait = new AbortController();
  void listing.finally(() => wait.abort());
  while (!wait.signal.aborted) {
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(1);
  }
  vi.useRealTimers();
  return listing;
}

async function textOf(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

describe("openMcpProxy", () => {
  it("lists what is there while a server never answers, and the three that find what comes", async () => {
    const silent = { command, args: ["-e", "process.stdin.resume()"] };
    const quick = { command, args: ["-e", `import(${JSON.stringify(notifying)})`] };
    const { client, proxy, tools } = await openWithoutWaiting({ servers: { silent, quick } });
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["find_tools", "call_tool", "search_artifact"]));
    expect(proxy.statistics().servers["silent"]?.problem).toBe("it is starting");
    await vi.waitUntil(
      async () => (await client.listTools()).tools.some(({ name }) => name === "quick__echo"),
      { timeout: 20_000 },
    );
    const found = await textOf(client, "find_tools", { query: "echo" });
    expect(found).toMatch(/^quick__echo\(\).*\n\[still starting, .*: silent\]$/s);
    expect(await textOf(client, "call_tool", { name: "quick__echo", args: { text: "hi" } })).toBe(
      "hi",
    );
  });

  it("leaves the list as it is while a server fails to start, with what reaches it later", async () => {
    const quick = { command, args: ["-e", `import(${JSON.stringify(notifying)})`] };
    const { client, proxy } = await openStarted({ servers: { absent, quick } });
    let changes = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      changes += 1;
    });
    const restarts = (): number => proxy.statistics().servers["absent"]?.restarts ?? 0;
    await vi.waitUntil(() => restarts() >= 1, { timeout: 50_000 });
    const before = changes;
    await vi.waitUntil(() => restarts() >= 3, { timeout: 50_000 });
    expect(changes).toBe(before);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["find_tools", "call_tool", "quick__echo"]));
  });

  it("needs room for its own tools", async () => {
    await expect(openMcpProxy({ servers: { absent }, listTokens: 100 })).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringMatching(/own tools take \d+/),
    });
  });

  it("lets a call wait for a server that starts too late for the handshake", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccl-proxy-"));
    closers.push(() => rm(folder, { recursive: true }));
    const mark = join(folder, "called");
    const script = `while (!require("node:fs").existsSync(${JSON.stringify(mark)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      import(${JSON.stringify(notifying)})`;
    const servers = { late: { command, args: ["-e", script] }, absent };
    const { client, tools } = await openWithoutWaiting({ servers });
    expect(tools.map(({ name }) => name)).not.toContain("late__echo");
    const called = textOf(client, "late__echo", { text: "hi" });
    await writeFile(mark, "");
    expect(await called).toBe("hi");
    await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toThrow(
      /No server has "nothing"\. The server absent is unavailable: /,
    );
  });

  it("passes a short list, calls, progress, sampling, prompts and resources as they are", async () => {
    const { client } = await openStarted({ servers: { everything }, listTokens: 20_000 });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "get-sum"]));
    expect(await textOf(client, "echo", { message: "hi" })).toBe("Echo: hi");
    expect(
      await textOf(client, "trigger-sampling-request", { prompt: "x", maxTokens: 5 }),
    ).toContain("sampled");
    const steps: number[] = [];
    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 3 } },
      { onprogress: ({ progress }) => steps.push(progress) },
    );
    expect(steps).toEqual([1, 2, 3]);
    const stop = new AbortController();
    const slow = client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 60, steps: 60 } },
      { signal: stop.signal, onprogress: () => stop.abort(new Error("enough")) },
    );
    await expect(slow).rejects.toThrow("enough");
    const { prompts } = await client.listPrompts();
    const prompt = prompts.find(({ name }) => name === "args-prompt");
    expect(prompt?.arguments?.map(({ name }) => name)).toContain("city");
    const { resources } = await client.listResources();
    const read = await client.readResource({ uri: resources[0]?.uri ?? "" });
    expect(read.contents).toHaveLength(1);
  });

  it("puts three tools for a long list, checks arguments, and shortens and repeats results", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccl-proxy-"));
    closers.push(() => rm(folder, { recursive: true }));
    const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at} says ${at * 7919}`);
    await writeFile(join(folder, "long.txt"), lines.join("\n"));
    const { client, proxy } = await openStarted({
      servers: {
        files: { command, args: [filesServer, folder] },
        memory: { command, args: [memoryServer], env: { MEMORY_FILE_PATH: join(folder, "m") } },
      },
      listTokens: 1_000,
      resultTokens: 500,
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).slice(0, 3)).toEqual([
      "find_tools",
      "describe_tools",
      "call_tool",
    ]);
    expect(tools[0]?.description).toContain("read_{file,media_file,multiple_files,text_file}");
    expect(await textOf(client, "find_tools", { query: "read a file" })).toContain(
      "files__read_text_file(",
    );
    const call = { name: "files__read_text_file", input: { path: join(folder, "long.txt") } };
    expect(await textOf(client, "call_tool", { ...call, input: { file: "x" } })).toMatch(
      /^MCP error.*\n.*are invalid: unknown parameter "file"; path: .*\nSchema: /,
    );
    const first = await textOf(client, "call_tool", call);
    const handle = /artifact ([0-9a-f]{12})/.exec(first)?.[1];
    expect(first.length).toBeLessThan(3_000);
    const found = await textOf(client, "search_artifact", { handle, query: "line 1234" });
    expect(found).toContain(`line 1234 says ${1234 * 7919}`);
    expect(await textOf(client, "call_tool", call)).toBe(`[The same as artifact ${handle}.]`);
    const { list, results } = proxy.statistics();
    expect(list.after).toBeLessThanOrEqual(1_000);
    expect(results).toMatchObject({ shortened: 1, repeated: 1 });
    expect(await textOf(client, "call_tool", { name: "files__raed_file", input: {} })).toContain(
      "Nearest: ",
    );
  });

  it("reports a server that died, starts it again, and leaves no process", async () => {
    const script = `process.stdin.on("data", (data) => {
      for (const line of String(data).split("\\n").filter(Boolean)) {
        const { id, method, params } = JSON.parse(line);
        const tools = [{ name: "pid", inputSchema: { type: "object" } }, { name: "die", inputSchema: { type: "object" } }];
        if (method === "tools/call" && params.name === "die") process.kill(process.pid, "SIGKILL");
        const result = method === "initialize"
          ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
          : method === "tools/list" ? { tools } : { content: [{ type: "text", text: String(process.pid) }] };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }
    });`;
    const { client, proxy } = await openStarted({
      servers: {
        mortal: { command, args: ["-e", script] },
        absent,
      },
    });
    const first = await textOf(client, "mortal__pid", {});
    await expect(client.callTool({ name: "mortal__die", arguments: {} })).rejects.toThrow(
      /The server mortal exited during the call/,
    );
    const refused = await textOf(client, "mortal__pid", {});
    expect(refused).toContain("The server mortal is unavailable");
    let again = refused;
    await expect
      .poll(async () => (again = await textOf(client, "mortal__pid", {})), { timeout: 20_000 })
      .toMatch(/^\d+$/);
    expect(again).not.toBe(first);
    expect(proxy.statistics().servers).toMatchObject({ absent: { problem: expect.any(String) } });
    await proxy.close();
    expect(() => process.kill(Number(again), 0)).toThrow("ESRCH");
  });
});

it("starts no server once it is closed", async () => {
  const proxy = await openMcpProxy({ servers: { everything } });
  await proxy.close();
  await expect(connectedClient(proxy.factory)).rejects.toThrow(/The proxy was closed/);
});
