import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { CatalogError } from "../catalog-error.ts";
import { checkResources } from "../record/check-resource.ts";
import { fromMcpTools } from "./from-mcp-tools.ts";

const require = createRequire(import.meta.url);

describe("fromMcpTools with the reference server `everything`, over stdio", () => {
  it("gives each tool its columns, tags and an example call", async () => {
    const script = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, "stdio"],
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    const resources = fromMcpTools(tools, {
      server: "everything",
      owner: "platform",
      tags: ["demo"],
    });
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
  it("accepts tools that break the protocol, sorted by name", () => {
    const resources = fromMcpTools(
      [
        { name: "b", description: null, inputSchema: [] },
        {
          name: 'a "quoted"\nname',
          title: "A",
          description: "x".repeat(10_000),
          annotations: { readOnlyHint: true },
        },
        { name: "b", title: "later" },
      ],
      { server: "s" },
    );
    expect(resources.map(({ id, title }) => [id, title])).toEqual([
      ["res:mcp.s.a%20%22quoted%22%0Aname", "A"],
      ["res:mcp.s.b", "later"],
    ]);
    expect(resources[0]?.tags).toEqual(["mcp", "s", "readonly"]);
    expect(resources[0]?.description?.length).toBeLessThanOrEqual(2_000);
    expect(resources[0]?.description).toContain("removed");
  });

  it.each([[{ title: "nameless" }], [{ name: "" }], [null]])("rejects %j as a tool", (tool) => {
    expect(() => fromMcpTools([tool], { server: "s" })).toThrow(CatalogError);
  });
});
