import type { Client } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { expect, it, onTestFinished, vi } from "vitest";

import { connectedClient } from "../__fixtures__/connected-client.ts";
import { openMcpHttp } from "../serve/open-mcp-http.ts";
import { createMcpServer } from "../server/create-mcp-server.ts";
import { toolError } from "../server/server-tool.ts";
import { openMcpProxy } from "./open-mcp-proxy.ts";
import { openToolUses, type ToolUses } from "./tool-uses.ts";

type UsesLog = Parameters<typeof openToolUses>[0];
const log = "mcp/uses/project";

interface UsesChange {
  append?: string;
  entries?: unknown[];
  expectedVersion?: number;
}

/** A log in memory, as `@ccl/records` keeps one. */
function memoryLog(entries: unknown[] = []): UsesLog & { entries(): unknown[] } {
  return {
    entries: () => entries,
    async readLog(name, { from = 0, limit = 1 }: { from?: number; limit?: number }) {
      expect(name).toBe(log);
      return { entries: entries.slice(from, from + limit), version: entries.length };
    },
    async write([change]) {
      const { append, entries: added = [], expectedVersion }: UsesChange = { ...change };
      if (append === log) entries = [...entries, ...added];
      else if (expectedVersion === entries.length) entries = [];
      else throw new Error("conflict");
    },
  };
}

async function connect(uses: ToolUses | undefined, others: string[] = []): Promise<Client> {
  const names = ["read_draft", "read_letter", "read_note"];
  const factory = createMcpServer({
    tools: [...names, "fail"].map((name) => ({
      name,
      description: "Reads a text of the user.",
      inputSchema: { type: "object" },
      run: async () => (name === "fail" ? toolError("no") : "done"),
    })),
  });
  const server = await openMcpHttp(factory);
  onTestFinished(() => server.close());
  const servers = Object.fromEntries(["texts", ...others].map((name) => [name, server]));
  const proxy = await openMcpProxy({ servers, listTokens: 700, uses });
  onTestFinished(() => proxy.close());
  const client = await connectedClient(proxy.factory);
  onTestFinished(() => client.close());
  await vi.waitUntil(() => proxy.statistics().servers["texts"]?.tools === 4, { timeout: 50_000 });
  return client;
}

it("closes while a server is asked for its tools and says nothing", async () => {
  let isAsked = false;
  const factory = (): Server => {
    const server = new Server({ name: "x", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => {
      isAsked = true;
      return new Promise<never>(() => undefined);
    });
    return server;
  };
  const server = await openMcpHttp(factory);
  onTestFinished(() => server.close());
  const proxy = await openMcpProxy({ servers: { silent: server } });
  const checked = proxy.check();
  await vi.waitUntil(() => isAsked, { timeout: 50_000 });
  await proxy.close();
  expect(await checked).toMatchObject([{ name: "silent", status: "problem" }]);
});

const call = (client: Client, name: string): Promise<unknown> =>
  client.callTool({ name: "call_tool", arguments: { name, input: {} } });

async function firstFound(client: Client): Promise<string> {
  const input = { name: "find_tools", arguments: { query: "read a text of the user" } };
  return JSON.stringify((await client.callTool(input)).content);
}

it("ranks the tools of later sessions by the calls that succeeded in earlier ones", async () => {
  const kept = memoryLog();
  const uses = await openToolUses(kept, "project");
  const client = await connect(uses);
  const before = await firstFound(client);
  expect(before).toMatch(/^[^(]*read_draft\(/);
  for (const name of ["read_note", "fail", "read_note", "fail", "nothing"])
    await call(client, name);
  await uses.close();
  expect(kept.entries()).toEqual(["texts__read_note", "texts__read_note"]);
  const later = await openToolUses(kept, "project");
  expect([...later.counts]).toEqual([["texts__read_note", 2]]);
  expect(await firstFound(await connect(later))).toMatch(/^[^(]*read_note\(/);
  expect(await firstFound(await connect(undefined))).toBe(before);
});

it("keeps what it learned where a second server is added", async () => {
  const uses = await openToolUses(memoryLog(), "project");
  const alone = await connect(uses);
  for (const name of ["read_note", "read_note", "read_note"]) await call(alone, name);
  const both = await connect(uses, ["more"]);
  expect(await firstFound(both)).toMatch(/^[^(]*texts__read_note\(/);
  const without = await firstFound(await connect(undefined, ["more"]));
  expect(without).toMatch(/^[^(]*texts__read_draft\(/);
});

it("reads what earlier versions kept, by the names of a server that was alone", async () => {
  const uses = await openToolUses(memoryLog(["read_note", "read_note"]), "project");
  expect(await firstFound(await connect(uses))).toMatch(/^[^(]*read_note\(/);
});

it("counts the latest ten thousand calls, and keeps no more than twice these", async () => {
  const entries = [
    "older",
    ...Array.from({ length: 19_998 }, (_, at) => (at < 9_999 ? "old" : "new")),
  ];
  const kept = memoryLog(entries);
  const { counts } = await openToolUses(kept, "project");
  expect([...counts]).toEqual([
    ["old", 1],
    ["new", 9_999],
  ]);
  expect(kept.entries()).toHaveLength(19_999);
  const grown = memoryLog(["older", ...entries]);
  const uses = await openToolUses(grown, "project");
  expect([...uses.counts]).toEqual([...counts]);
  uses.add("new");
  await uses.close();
  expect(grown.entries()).toEqual([...entries.slice(-10_000), "new"]);
});

it("leaves a log alone to which another proxy appends, and says at the end what it could not keep", async () => {
  const kept = memoryLog(Array.from({ length: 20_000 }, () => "old"));
  const write = (): Promise<never> => Promise.reject(new Error("the disk is full"));
  const failing = await openToolUses({ ...kept, write }, "project");
  expect(kept.entries()).toHaveLength(20_000);
  failing.add("old");
  expect(failing.counts.get("old")).toBe(10_001);
  await expect(failing.close()).rejects.toThrow("the disk is full");
});
