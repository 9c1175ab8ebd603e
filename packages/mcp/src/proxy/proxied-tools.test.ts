import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";

import { connectedClient } from "../__fixtures__/connected-client.ts";
import { openMcpHttp } from "../serve/open-mcp-http.ts";
import { createMcpServer } from "../server/create-mcp-server.ts";
import { type McpProxy, openMcpProxy } from "./open-mcp-proxy.ts";
import { proxiedTools } from "./proxied-tools.ts";
import type { Upstream } from "./upstream.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A server whose tools say who ran which of them with what. */
async function serve(server: string, ...tools: string[]): Promise<{ url: string }> {
  const factory = createMcpServer({
    tools: tools.map((name) => ({
      name,
      inputSchema: { type: "object" },
      run: async (input) => `${server} ran ${name} ${JSON.stringify(input)}`,
    })),
  });
  const { url, close } = await openMcpHttp(factory);
  closers.push(close);
  return { url };
}

async function connect(
  servers: Record<string, { url: string }>,
): Promise<{ client: Client; proxy: McpProxy; names: string[] }> {
  const proxy = await openMcpProxy({ servers });
  closers.push(() => proxy.close());
  const client = await connectedClient(proxy.factory);
  closers.push(() => client.close());
  const { tools } = await client.listTools();
  return { client, proxy, names: tools.map(({ name }) => name) };
}

const own = ["search_artifact", "read_artifact"];

it("the tools of a single server keep their names, and it says itself what it thinks of others", async () => {
  const { client, proxy, names } = await connect({ a: await serve("a", "get", "a__get") });
  expect(names.sort()).toEqual(["a__get", "get", ...own].sort());
  for (const name of ["get", "a__get"])
    expect(await client.callTool({ name, arguments: {} })).toMatchObject({
      content: [{ text: `a ran ${name} {}` }],
    });
  expect(proxy.statistics().servers).toMatchObject({ a: { calls: 2 } });
  await expect(client.callTool({ name: "put", arguments: {} })).rejects.toThrow(
    'Unknown tool "put". Known tools: get, a__get',
  );
});

it("a result comes as the server gave it to a program that asks for the whole", async () => {
  const { client } = await connect({ a: await serve("a", "get") });
  const long = Array.from({ length: 4_000 }, (_, at) => `word${at * 7919}`).join(" ");
  const shown = async (_meta: Record<string, unknown>): Promise<string> =>
    JSON.stringify(await client.callTool({ name: "get", arguments: { long }, _meta }));
  expect(await shown({ "ccl.dev/whole": true })).toContain(long);
  expect((await shown({})).length).toBeLessThan(long.length);
});

describe("the tools of several servers", () => {
  it("have the name of their server before their own, which gets each call", async () => {
    const servers = { a: await serve("a", "get", "b__get"), a__b: await serve("a__b", "get") };
    const { client, proxy, names } = await connect({ ...servers, c: await serve("c", "get") });
    expect(names.sort()).toEqual(["a__get", "a__b__get", "a_b-63e5__get", "c__get", ...own].sort());
    for (const [name, said] of [
      ["a__get", "a ran get"],
      ["a__b__get", "a ran b__get"],
      ["a_b-63e5__get", "a__b ran get"],
      ["c__get", "c ran get"],
    ] as const)
      expect(await client.callTool({ name, arguments: { at: 1 } })).toMatchObject({
        content: [{ text: `${said} {"at":1}` }],
      });
    expect(proxy.statistics().servers).toMatchObject({
      a: { calls: 2 },
      a__b: { calls: 1 },
      c: { calls: 1 },
    });
  });
});

it("the uses of a tool are those of its server's name and those counted by its own name alone", () => {
  const upstream: Upstream = {
    name: "a",
    prefix: undefined,
    client: undefined,
    problem: undefined,
    restarts: 0,
    tools: ["get", "put", "list"].map((ownName) => ({
      ownName,
      tool: { name: ownName, inputSchema: { type: "object" } },
    })),
    changes: [],
    started: Promise.resolve(),
    isStarting: false,
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const counts = new Map(Object.entries({ a__get: 5, get: 2, put: 4 }));
  const tools = proxiedTools([upstream], new Map(), { counts, add: () => {} });
  expect(tools.map((tool) => tool.uses())).toEqual([7, 4, 0]);
});
