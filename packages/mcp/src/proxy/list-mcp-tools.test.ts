import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, Server } from "@modelcontextprotocol/server";
import { describe, expect, it, onTestFinished } from "vitest";

import { listMcpTools } from "./list-mcp-tools.ts";

/** Connects a client to a server that lists one tool per page. */
async function connect(pages: number, cursorOf: (page: number) => string): Promise<Client> {
  const server = new Server({ name: "pages", version: "1" }, { capabilities: { tools: {} } });
  let page = 0;
  server.setRequestHandler("tools/list", () => {
    page += 1;
    const tools = [{ name: `tool-${page}`, inputSchema: { type: "object" as const } }];
    return page < pages ? { tools, nextCursor: cursorOf(page) } : { tools };
  });
  const client = new Client({ name: "test", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(() => client.close());
  return client;
}

describe("the tools of a server", () => {
  it.each([1, 2, 100])("are read from %d pages", async (pages) => {
    const tools = await listMcpTools(await connect(pages, String));
    expect(tools).toHaveLength(pages);
    expect(tools.at(-1)).toMatchObject({ name: `tool-${pages}` });
  });

  it("are not read from more pages than the limit", async () => {
    await expect(listMcpTools(await connect(101, String))).rejects.toMatchObject({
      code: "endless_list",
      message: expect.stringContaining("100 pages"),
    });
  });

  it("end where a cursor is repeated", async () => {
    expect(await listMcpTools(await connect(Infinity, () => "same"))).toHaveLength(2);
  });
});
