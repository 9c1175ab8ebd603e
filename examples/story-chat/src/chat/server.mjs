// A story in the browser, stored in SQLite, or in the PostgreSQL of CCL_POSTGRES_URL with any number of processes.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

import { mcpToolBridge } from "@ccl/context-compiler/tool-interrupt";
import { compute, createRunEngine, defineProfile, guard, llm, template } from "@ccl/operations";
import { openPostgresOperationStores } from "@ccl/operations/postgres";
import { openSqliteOperationStores } from "@ccl/operations/sqlite";
import { createEventResponse } from "@ccl/operations/sse";
import { findModel } from "@ccl/providers/environment";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import pg from "pg";

const { env } = process;
const found = await findModel({ env });
if (found === undefined) {
  console.error("No model: set OPENAI_API_KEY, ANTHROPIC_API_KEY or CCL_MODEL, or start Ollama.");
  process.exit(1);
}
const said = { ref: "userMessages.last.content", ignoreCase: true };
const planPrompt = "An idea for what follows, in a sentence: {{ chatHistory.last.content }}";
const worldPrompt = "World: {{ art.world }}\nNews: {{ main.text }}\nThe world now, in two lines:";
const feed = { usage: "ui_only", append: true };
const profile = defineProfile({
  id: "story",
  turn: { system: "You tell an adventure: second person, present tense, three sentences." },
  operations: {
    fight: guard({ any: ["attack", "sword"].map((contains) => ({ ...said, contains })) }),
    rules: template("Roll the dice for each blow.", { when: "fight", appendTo: "system" }),
    memory: template("World: {{ art.world }}", { appendTo: "system" }),
    plan: llm(planPrompt, { appendTo: "user", required: false }),
    world: llm(worldPrompt, { after: true, required: false }),
    diary: compute(({ answer }) => answer.split(". ")[0], { after: true, artifact: feed }),
  },
});
const dice = new Client({ name: "story", version: "1.0.0" });
const diceServer = new URL("dice-server.mjs", import.meta.url).pathname;
await dice.connect(new StdioClientTransport({ command: process.execPath, args: [diceServer] }));

const client = env.CCL_POSTGRES_URL && new pg.Pool({ connectionString: env.CCL_POSTGRES_URL });
const stores = client
  ? await openPostgresOperationStores({ client })
  : await openSqliteOperationStores({ path: env.STORY_FILE ?? "story.db" });
const tools = [mcpToolBridge(dice)];
const limits = { leaseMs: 3_000 };
const engine = createRunEngine({ ...stores, mainModel: found.model, profile, tools, limits });
const page = await readFile(new URL("page.html", import.meta.url));
const server = http.createServer((request, response) => {
  answer(request, response).catch((error) =>
    response.headersSent ? response.destroy() : response.writeHead(400).end(error.message),
  );
});
async function answer(request, response) {
  // Pages of other sites must not use this server.
  const { origin, host } = request.headers;
  if (!/^127\.0\.0\.1:\d+$/.test(host) || (origin ?? `http://${host}`) !== `http://${host}`)
    return response.writeHead(403).end();
  const [, what, id] = new URL(request.url, "http://localhost").pathname.split("/");
  if (what === "runs" && request.method === "DELETE")
    return response.end(String(await engine.abort(id)));
  if (what === "runs") {
    const lastEventId = request.headers["last-event-id"];
    const events = await createEventResponse({ engine, runId: id, lastEventId });
    response.writeHead(events.status, Object.fromEntries(events.headers));
    return events.body ? pipeline(Readable.fromWeb(events.body), response) : response.end();
  }
  if (what === "chats" && request.method === "POST") {
    const { runId } = await engine.start({ chatId: id, message: await text(request) });
    return response.end(runId);
  }
  const turns = what === "chats" && (await stores.chat.turns({ chatId: id, branchId: "main" }));
  response.end(turns ? JSON.stringify(turns) : page);
}
await once(server.listen(env.PORT ?? 3000, "127.0.0.1"), "listening");
console.log(`http://127.0.0.1:${server.address().port}/ with ${found.model.modelId}`);
