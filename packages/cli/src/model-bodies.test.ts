import { cp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createGzip } from "node:zlib";

import { arrayAt, stringAt } from "@ccl/core/json";
import { type ReceivedCall, startTestServer, type TestBehaviour } from "@ccl/providers/testing";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it, onTestFinished } from "vitest";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

import { createCatalogProject, readDataset } from "./__fixtures__/catalog-project.ts";
import {
  type Agent,
  agents,
  isInstalled,
  listedTools,
  openAgentHome,
  ownCommand,
} from "./__fixtures__/coding-agents.ts";

/** A call that the model makes, and what the request after it says of the result. */
interface ScriptedCall {
  server: "ccl" | "more" | "plain" | "control";
  tool: string;
  /** Sees the results of the calls before. */
  input: object | ((results: readonly string[]) => object);
  holds: RegExp[];
  /** 2,000, what a result may have, where absent. */
  maxTokens?: number;
}

const wrapped = (name: string, input: object): Pick<ScriptedCall, "server" | "tool" | "input"> => ({
  server: "more",
  tool: "call_tool",
  input: { name, input },
});
const handleIn = (text = ""): string => /\b[0-9a-f]{12}\b/.exec(text)?.[0] ?? "none";
const diff =
  "--- a/main.ts\n+++ b/main.ts\n@@ -1 +1 @@\n-export const flower = 'sunflower';\n+export const flower = 'tulip';\n";
const errorLine = /ERROR 7391: the disk is full/;

/** More than twenty results as texts, structured content, both, and errors; the order matters. */
const calls: ScriptedCall[] = [
  {
    server: "ccl",
    tool: "pack",
    input: { task: "Which flower?" },
    holds: [/sunflower/, /main\.ts/],
    maxTokens: 8_100,
  },
  {
    server: "ccl",
    tool: "get_alias",
    input: { path: "main.ts" },
    holds: [/main\.ts, lines 1-1 of 1/, /sunflower/],
  },
  { server: "ccl", tool: "get_alias", input: { search: "flower" }, holds: [/main\.ts/] },
  { server: "ccl", tool: "get_alias", input: { alias: "no-such.ts" }, holds: [/no-such\.ts/] },
  {
    server: "ccl",
    tool: "catalog_search",
    input: { query: "price of a stock" },
    holds: [/stocks/],
  },
  {
    server: "ccl",
    tool: "catalog_details",
    input: { ids: ["res:db.sqlite.data.stocks"] },
    holds: [/price/, /symbol/],
  },
  {
    server: "ccl",
    tool: "query_run",
    input: { sql: "select * from stocks" },
    holds: [/\[artifact [0-9a-f]{12}: \d+ of 560 rows/],
  },
  {
    server: "ccl",
    tool: "query_run",
    input: { sql: "select * from stocks", limit: 3 },
    holds: [/\[the first 3 rows; there are more/],
  },
  {
    server: "ccl",
    tool: "query_run",
    input: { sql: "select prise from stocks" },
    holds: [/Did you mean \W*price/],
  },
  {
    server: "ccl",
    tool: "query_explain",
    input: { sql: "select count(*) n from stocks" },
    holds: [/runs:/],
  },
  { server: "ccl", tool: "search_artifact", input: { query: "GOOG" }, holds: [/GOOG/] },
  {
    server: "ccl",
    tool: "read_artifact",
    input: (results) => ({ handle: handleIn(results[6]), rows: { start: 500, end: 502 } }),
    holds: [/AAPL/],
  },
  {
    server: "ccl",
    tool: "plan_preview",
    input: { diff },
    holds: [/planHash/, /tulip/, /sunflower/],
  },
  {
    server: "ccl",
    tool: "plan_preview",
    input: { plan: diff.replace("sunflower", "daisy") },
    holds: [/main\.ts/],
  },
  {
    server: "more",
    tool: "find_tools",
    input: { task: "edit lines of a file" },
    holds: [/files__edit_file\(path, edits/],
  },
  {
    ...wrapped("files__read_text_file", { path: "birds.log" }),
    holds: [errorLine, /artifact [0-9a-f]{12}: \d+ of \d+/],
  },
  { ...wrapped("graph__read_graph", {}), holds: [errorLine, /artifact [0-9a-f]{12}: \d+ of \d+/] },
  { ...wrapped("files__edit_file", { path: "birds.log" }), holds: [/edits/, /Schema/] },
  { server: "more", tool: "search_artifact", input: { query: "disk is full" }, holds: [errorLine] },
  {
    server: "plain",
    tool: "get-structured-content",
    input: { location: "Chicago" },
    holds: [/temperature\W+36/, /humidity\W+82/],
  },
  { ...wrapped("control__list", {}), holds: [/3 of 9 rows; handle 0123456789ab/] },
  { server: "plain", tool: "get-sum", input: { a: 17, b: 25 }, holds: [/17 and 25 is 42/] },
];

/** A result that says in its text alone what it left out: two of the clients must lose it. */
const control: ScriptedCall = {
  server: "control",
  tool: "list",
  input: {},
  holds: [/3 of 9 rows; handle 0123456789ab/],
};
/** For the words that clients put beside a result. */
const clientTokens = 60;
const losesText = new Set(["claude", "codex"]);
const controlServer = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = method === "initialize"
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "control", version: "1" } }
    : method === "tools/list"
      ? { tools: [{ name: "list", description: "Lists.", inputSchema: { type: "object", properties: {} } }] }
      : { content: [{ type: "text", text: "3 of 9 rows; handle 0123456789ab" }], structuredContent: { rows: [1, 2, 3] } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});`;

const { resolve } = createRequire(new URL("../../mcp/package.json", import.meta.url));
const serverOf = (name: string): string =>
  join(dirname(resolve(`@modelcontextprotocol/server-${name}/package.json`)), "dist/index.js");

/** Of an agent that asks before its servers are there. */
const maxWaits = 60;

/** A model that makes the calls one after the other, and what it was given of each result. */
function createScript(script: readonly ScriptedCall[]): {
  results: string[];
  respond(call: ReceivedCall): TestBehaviour;
} {
  const results: string[] = [];
  let waits = 0;
  return {
    results,
    respond({ body }) {
      const tools = listedTools(body);
      if (tools.length === 0) return { type: "answer", text: "A title" };
      for (const [at] of script.entries()) {
        const result = resultIn(body, `call_${at}_ccl`);
        if (result !== undefined) results[at] ??= result;
      }
      const next = script[results.length];
      if (next === undefined) return { type: "answer", text: "All done." };
      const find = (pattern: RegExp): object | undefined =>
        tools.find(({ name, namespace = "" }) => pattern.test(`${namespace}_${name}`));
      const call = (id: string, tool: object | undefined, input: object): TestBehaviour[] =>
        tool === undefined
          ? []
          : [
              {
                type: "answer",
                toolCalls: [{ id, name: "", ...tool, arguments: JSON.stringify(input) }],
              },
            ];
      const input = typeof next.input === "function" ? next.input(results) : next.input;
      // Codex has no dash in names.
      const named = find(new RegExp(`${next.server}_+${next.tool.replaceAll("-", "[-_]")}$`));
      const id = `wait_${(waits += 1)}`;
      const missing: TestBehaviour = {
        type: "answer",
        text: `There is no ${next.server} ${next.tool}.`,
      };
      const [answer = missing] = [
        ...call(`call_${results.length}_ccl`, named, input),
        // Codex reads no list again, so a server that starts late is called this way.
        ...call(`call_${results.length}_ccl`, find(new RegExp(`${next.server}_+call_tool$`)), {
          name: next.tool,
          input,
        }),
        ...(waits > maxWaits ? [missing] : []),
        ...call(id, find(/_WaitForMcpServers$/), {}),
        ...call(id, find(/_exec_command$/), { cmd: "sleep 1" }),
      ];
      return answer;
    },
  };
}

/** What a request gives the model as the result of a call. */
function resultIn(body: object, id: string): string | undefined {
  const blocks = [
    ...arrayAt(body, "input"),
    ...arrayAt(body, "messages").flatMap((message) => arrayAt(message, "content")),
  ];
  const ofCall = (block: unknown): boolean =>
    stringAt(block, "call_id") === id || stringAt(block, "tool_use_id") === id;
  const found = blocks.find(
    (block) => ofCall(block) && stringAt(block, "type") !== "function_call",
  );
  if (found === undefined) return undefined;
  const texts = ["output", "content"].flatMap((key) => [
    stringAt(found, key) ?? [],
    arrayAt(found, key).map((part) => stringAt(part, "text") ?? ""),
  ]);
  return texts.flat().join("\n");
}

/** Stands before a model API and answers in gzip, as the real ones do. */
async function openGzip(url: string): Promise<string> {
  const target = new URL(url);
  const front = createServer(async (request, response) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method = "POST", headers } = request;
    const kept = ["authorization", "x-api-key", "anthropic-version", "content-type"];
    const sent = kept.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)] satisfies [string, string]];
    });
    const hasBody = method !== "GET" && method !== "HEAD";
    const answer = await fetch(new URL(request.url ?? "/", target.origin), {
      method,
      headers: sent,
      ...(hasBody ? { body: Buffer.concat(pieces) } : {}),
    });
    const type = answer.headers.get("content-type") ?? "application/json";
    response.writeHead(answer.status, { "content-type": type, "content-encoding": "gzip" });
    const zip = createGzip();
    zip.pipe(response);
    zip.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  const address = front.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `http://127.0.0.1:${port}${target.pathname.replace(/\/$/, "")}`;
}

/** A project with a catalog, a log of 1 MB, and a graph of 1 MB, each with one line that says what is wrong. */
async function fillProject(project: string): Promise<void> {
  const made = await createCatalogProject();
  onTestFinished(() => made.remove());
  await cp(made.root, project, { recursive: true });
  await writeFile(join(project, "main.ts"), "export const flower = 'sunflower';\n");
  const text = await readDataset("birdstrikes.csv");
  const lines = text
    .slice(0, 1_000_000)
    .split("\n")
    .map((line, at) => `10:${at % 60} INFO ${line}`);
  const log = lines.toSpliced(
    Math.floor(lines.length / 3),
    0,
    "10:07 ERROR 7391: the disk is full",
  );
  const entities = lines.map((line, at) =>
    JSON.stringify({
      type: "entity",
      name: `line ${at}`,
      entityType: "line",
      observations: [at === 4_000 ? "ERROR 7391: the disk is full" : line],
    }),
  );
  await writeFile(join(project, "birds.log"), log.join("\n"));
  await writeFile(join(project, "graph.jsonl"), entities.slice(0, 10_000).join("\n"));
}

async function modelBodies(agent: Agent, script: readonly ScriptedCall[]): Promise<string[]> {
  const { results, respond } = createScript(script);
  const server = await startTestServer({ respond, chunkBytes: 97 });
  onTestFinished(() => server.close());
  const url = await openGzip(server.baseUrl(agent.dialect));
  const { project, add, run } = await openAgentHome(agent, url);
  await fillProject(project);
  const node = process.execPath;
  await run(node, ownCommand("catalog", "import", "--sql", "sqlite:data.sqlite").slice(1));
  const configs = {
    more: {
      files: { command: node, args: [serverOf("filesystem"), project], cwd: project },
      graph: {
        command: node,
        args: [serverOf("memory")],
        env: { MEMORY_FILE_PATH: join(project, "graph.jsonl") },
      },
      control: { command: node, args: ["-e", controlServer] },
    },
    plain: { everything: { command: node, args: [serverOf("everything")] } },
  };
  for (const [name, mcpServers] of Object.entries(configs)) {
    const path = join(project, `${name}.json`);
    await writeFile(path, JSON.stringify({ mcpServers }));
    const tokens = name === "more" ? "700" : "30000";
    await add(name, ownCommand("mcp", "proxy", "--config", path, "--list-tokens", tokens));
  }
  await add("control", [node, "-e", controlServer]);
  const output = await run(agent.command, agent.args(url, "Make the calls."));
  expect(output).toContain("All done.");
  return results;
}

it.runIf(isAtLeast("nightly")).for(agents)(
  "$command gives its model what the results of ccl say, within their budget",
  { timeout: 300_000 },
  async (agent, { skip }) => {
    if (!(await isInstalled(agent.command)))
      skip(`There is no ${agent.command} on the PATH; install it from npm.`);
    const script = [...calls, control];
    const results = await modelBodies(agent, script);
    const wrong = script.flatMap(({ server, tool, holds, maxTokens = 2_000 }, at) => {
      const text = results[at] ?? "";
      const lacks = holds.filter((pattern) => !pattern.test(text)).map(String);
      const tokens = countTokens(text);
      const isRight = lacks.length === 0 && tokens <= maxTokens + clientTokens;
      return isRight
        ? []
        : [{ call: `${server} ${tool}`, lacks, tokens, text: text.slice(0, 500) }];
    });
    // Nothing is lost where the client gives its model the text too.
    const lost = losesText.has(agent.command) ? ["control list"] : [];
    expect(wrong.filter(({ call }) => !lost.includes(call))).toEqual([]);
    expect(wrong.map(({ call }) => call)).toEqual(lost);
  },
);
