import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { createCatalog } from "@ccl/catalog";
import { createSession, createSessionMemory } from "@ccl/context-compiler";
import { mcpToolBridge } from "@ccl/context-compiler/tool-interrupt";
import { createScriptedModel } from "@ccl/core/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, it } from "vitest";
import { z } from "zod";

import {
  artifactRetriever,
  bridgedTools,
  catalogRetriever,
  createRunEngine,
  defineProfile,
  memoryRetriever,
  type OperationSpec,
  rag,
  type Retriever,
  type RunResult,
  tool,
} from "../index.ts";

async function runOne(operation: OperationSpec): Promise<RunResult> {
  const profile = defineProfile({ id: "p", operations: { found: operation } });
  const engine = createRunEngine({ mainModel: createScriptedModel(["Hi."]) });
  const run = await engine.start({ chatId: "c", message: "What is the refund?", profile });
  return run.result;
}

async function passagesOf(retriever: Retriever, query: string): Promise<unknown> {
  const { artifacts } = await runOne(rag(query, { retriever, topK: 2 }));
  return artifacts[0]?.value;
}

it("finds the resources of a catalog, and no columns that the principal must not see", async () => {
  const roles = { reader: { details: true }, clerk: { details: true, pii: true } };
  const catalog = createCatalog({ access: { roles } });
  await catalog.register([
    {
      id: "db.orders",
      kind: "tabular",
      title: "Orders",
      description: "Every order with its refund.",
      columns: [
        { name: "refund", type: "int" },
        { name: "email", type: "text", tags: ["pii"] },
      ],
    },
    { id: "db.weather", kind: "tabular", title: "Weather" },
  ]);
  const ask = async (role: string, query = "refund of orders"): Promise<unknown> =>
    passagesOf(catalogRetriever(catalog, { principal: { roles: [role] } }), query);
  expect(await ask("clerk")).toMatchObject([
    { id: "db.orders", title: "Orders", text: expect.stringContaining("email") },
  ]);
  const seen = await ask("reader");
  expect(seen).toMatchObject([{ id: "db.orders", text: expect.stringContaining("refund") }]);
  expect(JSON.stringify(seen)).not.toContain("email");
  expect(await ask("clerk", "zyzzyva")).toEqual([]);
});

it("finds lines of stored texts, the best artifact first, and passes over bytes that are no text", async () => {
  const store = createMemoryArtifactStore();
  const filler = "a line of nothing\n".repeat(400);
  const note = await store.store(`${filler}The refund is 12 EUR.\n${filler}`, { source: "notes" });
  const part = await store.store("A refund needs a receipt.", { source: "rules" });
  await store.store("The weather is fine.", { source: "notes" });
  await store.store(new Uint8Array([0xff, 0xfe, 0x00]), { source: "notes" });
  const found = await passagesOf(artifactRetriever(store), "refund EUR");
  expect(found).toMatchObject([
    { id: note.artifactId, source: "notes", text: expect.stringContaining("12 EUR") },
    { id: part.artifactId },
  ]);
  expect(JSON.stringify(found).length).toBeLessThan(1_000);
  const scoped = await passagesOf(artifactRetriever(store, { source: "rules" }), "refund EUR");
  expect(scoped).toMatchObject([{ id: part.artifactId }]);
});

it("finds what was said in a session", async () => {
  const session = createSession({ sessionId: "s" });
  await session.record("user_input", { content: "My refund was 12 EUR." });
  await session.record("user_input", { content: "It rains." });
  const memory = memoryRetriever(createSessionMemory({ session }));
  expect(await passagesOf(memory, "refund")).toMatchObject([
    { text: "user: My refund was 12 EUR.", source: "session:s", score: expect.any(Number) },
  ]);
});

it("calls the tools of an MCP server, whose refusal is an error of the operation", async () => {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.registerTool(
    "refund",
    { inputSchema: { order: z.string() }, outputSchema: { amount: z.number() } },
    ({ order }) =>
      order === "7"
        ? { content: [], structuredContent: { amount: 12 } }
        : { content: [{ type: "text", text: "There is no such order." }], isError: true },
  );
  const client = new Client({ name: "test", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  try {
    const [refund] = await bridgedTools(mcpToolBridge(client));
    if (refund === undefined) throw new Error("The server names no tool.");
    expect(refund).toMatchObject({ name: "refund" });
    const done = await runOne(tool(refund, { args: { order: "7" } }));
    expect(done.artifacts[0]?.value).toEqual({ amount: 12 });
    const failed = await runOne(tool(refund, { args: { order: "8" } }));
    expect(JSON.stringify(failed)).toContain("There is no such order.");
    expect(failed.status).toBe("failed");
  } finally {
    await client.close();
  }
});
