import { Server } from "@modelcontextprotocol/server";
import { expect, it, onTestFinished, vi } from "vitest";

import { connectedClient } from "../__fixtures__/connected-client.ts";
import { openMcpHttp } from "../serve/open-mcp-http.ts";
import { connectMcpServer } from "./connect-mcp-server.ts";
import { openMcpProxy } from "./open-mcp-proxy.ts";
import { listMcpTools } from "./list-mcp-tools.ts";

const fail = (): never => {
  throw new Error("out of order");
};

/** A server with one resource and one prompt, or one whose lists all fail. */
async function serve(name: string, isBroken: boolean): Promise<{ url: string }> {
  const uri = `test://${name}`;
  const opened = await openMcpHttp(() => {
    const capabilities = { resources: {}, prompts: {} };
    const server = new Server({ name, version: "1" }, { capabilities });
    server.setRequestHandler("resources/list", () =>
      isBroken ? fail() : { resources: [{ uri, name }] },
    );
    server.setRequestHandler("resources/templates/list", () =>
      isBroken ? fail() : { resourceTemplates: [{ uriTemplate: `${uri}/{id}`, name }] },
    );
    server.setRequestHandler("resources/read", () =>
      isBroken ? fail() : { contents: [{ uri, text: `of ${name}` }] },
    );
    server.setRequestHandler("prompts/list", () => (isBroken ? fail() : { prompts: [{ name }] }));
    return server;
  });
  onTestFinished(() => opened.close());
  return opened;
}

it("lists the resources and prompts of each server, also beside one whose lists fail", async () => {
  const servers = {
    broken: await serve("broken", true),
    healthy: await serve("healthy", false),
    other: await serve("other", false),
  };
  const proxy = await openMcpProxy({ servers });
  onTestFinished(() => proxy.close());
  const client = await connectedClient(proxy.factory);
  onTestFinished(() => client.close());
  const problems = (): unknown[] =>
    Object.values(proxy.statistics().servers).map(({ problem }) => problem);
  await vi.waitUntil(() => problems().every((one) => one === undefined), { timeout: 50_000 });
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    "test://healthy",
    "test://other",
    "ccl://proxy/statistics",
  ]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ name }) => name)).toEqual(["healthy", "other"]);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["healthy__healthy", "other__other"]);
  expect((await client.readResource({ uri: "test://healthy" })).contents).toMatchObject([
    { text: "of healthy" },
  ]);
});

it.each([
  ["comes back to a page that it gave", "again"],
  ["says with an empty text that it is over", ""],
])("ends a list of tools that %s", async (_, nextCursor) => {
  const looping = await openMcpHttp(() => {
    const server = new Server({ name: "x", version: "1" }, { capabilities: { tools: {} } });
    const tools = [{ name: "one", inputSchema: { type: "object" as const } }];
    server.setRequestHandler("tools/list", () => ({ tools, nextCursor }));
    return server;
  });
  onTestFinished(() => looping.close());
  const client = await connectMcpServer(looping);
  onTestFinished(() => client.close());
  expect(await listMcpTools(client)).toMatchObject([{ name: "one" }, { name: "one" }]);
});

it("refuses a list of tools that never ends", async () => {
  let page = 0;
  const endless = await openMcpHttp(() => {
    const server = new Server({ name: "x", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: [], nextCursor: `${(page += 1)}` }));
    return server;
  });
  onTestFinished(() => endless.close());
  const client = await connectMcpServer(endless);
  onTestFinished(() => client.close());
  await expect(listMcpTools(client)).rejects.toMatchObject({
    code: "endless_list",
    message: expect.stringContaining("more than 100 pages"),
  });
});
