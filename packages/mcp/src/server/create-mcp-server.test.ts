import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openAliasRegistry } from "@ccl/aliases";
import { type ArtifactStore, createMemoryArtifactStore } from "@ccl/artifact-store";
import { createCatalog } from "@ccl/catalog";
import { createBpeCounter } from "@ccl/core/bpe";
import { openWorkspace } from "@ccl/plan-protocol/node";
import { createMemoryConnector } from "@ccl/query";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";

import { connectedClient } from "../__fixtures__/connected-client.ts";
import { createMcpServer } from "./create-mcp-server.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, city: `city ${id % 700}` }));

async function openServer(
  answer?: "accept" | "decline",
  artifacts: ArtifactStore = createMemoryArtifactStore(),
): Promise<{ client: Client; root: string }> {
  const root = await mkdtemp(join(tmpdir(), "ccl-mcp-"));
  closers.push(() => rm(root, { recursive: true }));
  await writeFile(join(root, "main.ts"), "export function greet(): string {\n  return 'hi';\n}\n");
  const registry = await openAliasRegistry({ root, persist: false });
  const workspace = await openWorkspace({ root });
  const catalog = createCatalog();
  const columns = [
    { name: "id", type: "int" },
    { name: "city", type: "text" },
  ];
  await catalog.register([
    { id: "res:places", uri: "ada://any/places", kind: "tabular", title: "places", columns },
  ]);
  const connectors = { "ada://any": createMemoryConnector({ "res:places": rows }) };
  closers.push(
    () => registry.close(),
    () => workspace.close(),
  );
  const factory = createMcpServer({
    project: { registry },
    artifacts,
    catalog,
    query: { connectors },
    plans: { workspace, allowApply: true },
    model: { provider: "none", modelId: "none", generate: () => Promise.reject(new Error("none")) },
  });
  const capabilities = answer === undefined ? {} : { elicitation: {} };
  const client = await connectedClient(factory, { capabilities }, (one) => {
    if (answer !== undefined)
      one.setRequestHandler("elicitation/create", () => ({
        action: answer,
        content: { apply: true },
      }));
  });
  closers.push(() => client.close());
  return { client, root };
}

async function textOf(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return isError === true ? `error: ${text}` : text;
}

const plan = JSON.stringify({
  version: 3,
  actions: [{ kind: "CREATE_FILE", path: "hello.txt", content: "hi\n" }],
  summary: "greet",
  context_requests: [],
  memory_patch: {},
});

async function apply(client: Client): Promise<string> {
  const preview = await textOf(client, "plan_preview", { plan });
  const planHash = /^planHash (\w+)/.exec(preview)?.[1];
  return textOf(client, "plan_apply", { plan, planHash });
}

describe("createMcpServer", () => {
  it("gives a model all of its tools in at most 900 tokens, and its user their titles and hints", async () => {
    const { client } = await openServer();
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(11);
    const counter = await createBpeCounter("o200k_base");
    const given = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    expect(counter.count(JSON.stringify(given))).toBeLessThanOrEqual(900);
    expect(tools.filter(({ title = "" }) => title === "")).toEqual([]);
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    expect(writing).toMatchObject([{ name: "plan_apply", annotations: { destructiveHint: true } }]);
  });

  it("packs by the files that a client names, and says which of them do not exist", async () => {
    const { client } = await openServer();
    const focus = ["main.ts", "./main.ts", "mian.ts", "gone/\u0000"];
    const text = await textOf(client, "pack", { task: "greet", focus });
    expect(text.match(/^\[focus: .*/gm)).toEqual([
      '[focus: there is no file "mian.ts"]',
      '[focus: there is no file "gone/\\u0000"]',
    ]);
    expect(text).toContain("greet");
  });

  it("gives files by path and symbol, and finds those made since", async () => {
    const { client, root } = await openServer();
    expect(await textOf(client, "pack", { task: "greet" })).toContain("greet");
    expect(await textOf(client, "get_alias", { alias: "main.ts#greet" })).toContain("return 'hi'");
    await writeFile(join(root, "later.ts"), "export const later = 1;\n");
    expect(await textOf(client, "get_alias", { alias: "later.ts" })).toContain("later = 1");
    expect(await textOf(client, "get_alias", { alias: "none.ts" })).toMatch(/^error: There is no/);
    const card = await client.readResource({ uri: "ccl://card/main.ts" });
    expect(card.contents).toMatchObject([{ text: expect.stringContaining("greet") }]);
  });

  it("reads the card of each listed file, whatever characters its path contains", async () => {
    const names = ["a#b.ts", "c?d=1.ts", "100%.ts", "e%23f.ts", "g h&i+j.ts", "ö.ts"];
    const { client, root } = await openServer();
    await mkdir(join(root, "deep#er?"));
    const paths = names.flatMap((name) => [name, `deep#er?/${name}`]);
    for (const path of paths)
      await writeFile(join(root, path), `export const at = ${JSON.stringify(path)};\n`);
    await textOf(client, "get_alias", { alias: "a#b.ts" });
    const { resources } = await client.listResources();
    const cards = resources.filter(({ uri }) => uri.startsWith("ccl://card/"));
    for (const path of paths) {
      const listed = cards.find(({ name }) => name.endsWith(` ${path}`));
      const { href, hash, search } = new URL(listed?.uri ?? "");
      expect({ path, hash, search }).toEqual({ path, hash: "", search: "" });
      const { contents } = await client.readResource({ uri: href });
      expect(contents).toMatchObject([{ text: expect.stringContaining(path) }]);
    }
  });

  it("keeps the rows that an answer has no room for, and finds them again", async () => {
    const { client } = await openServer();
    const answer = await textOf(client, "query_run", {
      plan: "scan(res:places)",
      limit: 3_000,
    });
    const handle = /artifact ([0-9a-f]{12})/.exec(answer)?.[1];
    expect(handle).toBeDefined();
    expect(await textOf(client, "search_artifact", { handle, query: "2718" })).toContain("2718");
    expect(await textOf(client, "query_run", { plan: "scan(res:nothing)→limit(1)" })).toMatch(
      /^error: .*res:nothing/,
    );
    expect(await textOf(client, "catalog_search", { query: "places" })).toContain("res:places");
  });

  it("lists content that was stored twice as one resource", async () => {
    const { client } = await openServer();
    const query = { plan: "scan(res:places)", limit: 3_000 };
    await textOf(client, "query_run", query);
    await textOf(client, "query_run", query);
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith("ccl://artifact/"))).toHaveLength(1);
  });

  it("serves text up to a whole character, and binary content as a blob or not at all", async () => {
    const store = createMemoryArtifactStore();
    const { client } = await openServer(undefined, store);
    const read = async (content: string | Uint8Array, mimeType: string): Promise<unknown> => {
      const { artifactId } = await store.store(content, { source: "test", mimeType });
      const { contents } = await client.readResource({ uri: `ccl://artifact/${artifactId}` });
      return contents[0];
    };
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
    expect(await read(png, "image/png")).toMatchObject({ mimeType: "image/png", blob: "iVBORw==" });
    const large = new Uint8Array(100_001).fill(0x89);
    expect(await read(large, "image/png")).toEqual({
      uri: expect.any(String),
      text: "[image/png, 100001 bytes; binary resources are limited to 100000]",
    });
    expect(await read(`x${"é".repeat(50_000)}`, "text/plain")).toMatchObject({
      text: `x${"é".repeat(49_999)}\n[first 100000 of 100001 bytes; use search_artifact or read_artifact for the rest]`,
    });
  });

  it("runs SQL over the catalog, and says what does not exist", async () => {
    const { client } = await openServer();
    const sql = "select count(*) as n from places";
    expect(await textOf(client, "query_run", { sql })).toMatch(/n\D+3000/);
    expect(await textOf(client, "query_explain", { sql })).toContain("runs:");
    expect(await textOf(client, "query_run", { sql: "select * from nowhere" })).toMatch(
      /^error: .*nowhere/,
    );
    expect(await textOf(client, "query_run", { sql: "delete from places" })).toMatch(/^error: /);
    expect(await textOf(client, "query_run", {})).toMatch(/^error: /);
  });

  it("writes only what the user agreed to", async () => {
    const without = await openServer();
    expect(await apply(without.client)).toMatch(/^error: Nothing was written.*elicitation/);
    const declined = await openServer("decline");
    expect(await apply(declined.client)).toBe(
      "error: Nothing was written: the user did not agree.",
    );
    const agreed = await openServer("accept");
    expect(await apply(agreed.client)).toContain("CREATE_FILE hello.txt");
    expect(await textOf(agreed.client, "get_alias", { alias: "hello.txt" })).toContain("hi");
    expect(await textOf(agreed.client, "plan_apply", { plan, planHash: "another" })).toMatch(
      /^error: /,
    );
  });

  it("names the argument that does not fit, and answers prompts over the catalog", async () => {
    const { client } = await openServer();
    expect(await textOf(client, "pack", { budget: "many" })).toMatch(/^error: .*budget/);
    await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toThrow(
      /Unknown tool/,
    );
    const { messages } = await client.getPrompt({
      name: "compile-plan",
      arguments: { task: "places by city" },
    });
    expect(JSON.stringify(messages)).toContain("res:places");
  });
});
