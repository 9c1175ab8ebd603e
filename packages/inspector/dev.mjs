// The page with hot reload, over the records of a folder: `pnpm --filter inspector dev [folder]`, after `pnpm build`. Without a
// folder a session is recorded first. What records do not hold comes from the data of the tests. Ctrl+C ends it.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { fitMessages } from "@ccl/context-compiler";
import { createServer } from "vite";

import { readView, recordTo } from "./dist/index.js";
import { promptViews } from "./dist/stores/index.js";

const folder = import.meta.dirname;
const [given] = process.argv.slice(2);
const records = given === undefined ? await recordSession() : path.resolve(given);
const server = await createServer({
  root: path.join(folder, "page"),
  configFile: false,
  server: { host: "127.0.0.1" },
});
const { exampleSource } = await server.ssrLoadModule(
  path.join(folder, "src/__fixtures__/sources.ts"),
);
const source = {
  ...exampleSource,
  ...promptViews({
    requests: records,
    records: path.join(records, "none"),
    agents: async () => ({ logs: [], omitted: 0 }),
    live: async () => undefined,
  }),
};
server.middlewares.stack.unshift({ route: "/api", handle: answer });
await server.listen();
server.printUrls();
process.once("SIGINT", async () => {
  await server.close();
  if (given === undefined) await rm(records, { recursive: true, force: true });
  process.exit();
});

async function answer(request, response) {
  const url = new URL(request.url, "http://localhost");
  const parameters = Object.fromEntries(url.searchParams);
  response.setHeader("content-type", "application/json");
  try {
    const signal = AbortSignal.timeout(30_000);
    response.end(
      JSON.stringify(await readView(source, url.pathname.slice(1), { parameters, signal })),
    );
  } catch ({ code, message }) {
    response.statusCode = 422;
    response.end(JSON.stringify({ error: { code, message } }));
  }
}

/** An agent that reads the sources of this package, with a budget that they exceed. */
async function recordSession() {
  const place = await mkdtemp(path.join(tmpdir(), "ccl-dev-"));
  const record = recordTo(place, { texts: true });
  const messages = [{ role: "user", content: "How does the page read its views?" }];
  let state;
  const names = [
    "views",
    "open-inspector",
    "read-view",
    "record-to",
    "export-page",
    "compare-prompts",
  ];
  for (const [at, name] of names.entries()) {
    const file = `src/${name}.ts`;
    const call = { id: `c${at}`, name: "read_file", arguments: JSON.stringify({ path: file }) };
    messages.push({ role: "assistant", content: "", toolCalls: [call] });
    const content = await readFile(path.join(folder, file), "utf8");
    messages.push({ role: "tool", toolCallId: call.id, content });
    ({ state } = fitMessages(messages, { budget: 6_000, state, record }));
  }
  await record.close();
  return place;
}
