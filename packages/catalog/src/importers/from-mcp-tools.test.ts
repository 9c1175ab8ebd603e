import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { CatalogError } from "../catalog-error.ts";
import { checkResources } from "../record/check-resource.ts";
import { fromMcpTools } from "./from-mcp-tools.ts";

const require = createRequire(import.meta.url);

describe("fromMcpTools with the server of everything, over stdio", () => {
  it("gives each tool its columns, tags and a call to copy", async () => {
    const script = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, "stdio"],
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    const resources = await fromMcpTools(client, {
      server: "everything",
      owner: "platform",
      tags: ["demo"],
    });
    const { tools } = await client.listTools();
    await client.close();
    expect(resources.map(({ id }) => id)).toEqual(
      tools.map(({ name }) => `res:mcp.everything.${name}`).sort(),
    );
    expect(checkResources(resources).ok).toBe(true);
    const structured = resources.find(({ id }) => id.endsWith("get-structured-content"));
    expect(structured).toMatchInlineSnapshot(`
      {
        "cap": [
          "call",
        ],
        "columns": [
          {
            "description": "Choose city",
            "enum": [
              "New York",
              "Chicago",
              "Los Angeles",
            ],
            "in": "input",
            "name": "location",
            "nn": true,
            "type": "string",
          },
          {
            "description": "Temperature in celsius",
            "in": "output",
            "name": "temperature",
            "nn": true,
            "type": "number",
          },
          {
            "description": "Weather conditions description",
            "in": "output",
            "name": "conditions",
            "nn": true,
            "type": "string",
          },
          {
            "description": "Humidity percentage",
            "in": "output",
            "name": "humidity",
            "nn": true,
            "type": "number",
          },
        ],
        "description": "Returns structured content along with an output schema for client data validation",
        "id": "res:mcp.everything.get-structured-content",
        "kind": "skill",
        "owner": "platform",
        "shape": {
          "cols": 4,
        },
        "tags": [
          "mcp",
          "everything",
          "readonly",
          "idempotent",
          "demo",
        ],
        "title": "Get Structured Content Tool",
        "uri": "ada://any/mcp/everything/get-structured-content",
        "usage": {
          "snippets": [
            {
              "code": "{"tool":"get-structured-content","arguments":{"location":"<string>"}}",
              "engine": "json",
            },
          ],
        },
      }
    `);
  });
});

describe("fromMcpTools", () => {
  const pages: Record<string, { tools: object[]; nextCursor?: string }> = {
    "": { tools: [{ name: "b", inputSchema: { type: "object" } }], nextCursor: "2" },
    "2": {
      tools: [
        {
          name: 'a "quoted"\nname',
          title: "A",
          description: "x".repeat(10_000),
          annotations: { readOnlyHint: true },
        },
      ],
    },
  };

  it("reads all pages", async () => {
    const resources = await fromMcpTools(
      { listTools: async ({ cursor = "" } = {}) => pages[cursor] ?? { tools: [] } },
      { server: "s" },
    );
    expect(resources.map(({ id }) => id)).toEqual([
      "res:mcp.s.a%20%22quoted%22%0Aname",
      "res:mcp.s.b",
    ]);
    expect(resources[0]?.tags).toEqual(["mcp", "s", "readonly"]);
    expect(resources[0]?.description?.length).toBeLessThanOrEqual(2_000);
    expect(resources[0]?.description).toContain("removed");
  });

  it("takes the tools themselves", async () => {
    const resources = await fromMcpTools([{ name: "b" }, { name: "b", title: "later" }], {
      server: "s",
    });
    expect(resources).toMatchObject([{ id: "res:mcp.s.b", title: "later", columns: [] }]);
  });

  it.each([
    ["the same page without end", async () => ({ tools: [], nextCursor: "again" })],
    [
      "a new page without end",
      (() => {
        let page = 0;
        return async () => ({ tools: [], nextCursor: String((page += 1)) });
      })(),
    ],
    ["a tool without a name", async () => ({ tools: [{ title: "nameless" }] })],
    ["a failure", async () => Promise.reject(new Error("connection lost"))],
  ])("fails on a server that gives %s", async (_, listTools) => {
    const error: unknown = await fromMcpTools({ listTools }, { server: "s" }).catch(
      (reason: unknown) => reason,
    );
    expect(CatalogError.isInstance(error) && error.code).toBe("import_failed");
  });

  it("ends when it is aborted", async () => {
    const controller = new AbortController();
    const listTools = async (): Promise<{ tools: object[]; nextCursor: string }> => {
      controller.abort();
      return { tools: [], nextCursor: "2" };
    };
    const error: unknown = await fromMcpTools(
      { listTools },
      { server: "s", signal: controller.signal },
    ).catch((reason: unknown) => reason);
    expect(CatalogError.isInstance(error) && error.code).toBe("aborted");
  });
});
