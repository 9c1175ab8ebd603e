import assert from "node:assert/strict";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { sha256Hex } from "@ccl/core";
import { createGateway } from "@ccl/gateway";
import { openProxy } from "@ccl/gateway/node";
import { startTestServer } from "@ccl/providers/testing";
import { createMemoryRecords } from "@ccl/records";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

import { calls, facts } from "./incident.mjs";

// The model of the example: it calls the tools in order, then answers.
const api = await startTestServer();
for (const [at, { name }] of calls.entries())
  api.enqueue({ type: "answer", toolCalls: [{ id: `call_${at}`, name, arguments: "{}" }] });
api.enqueue({ type: "answer", text: "Worker 3 lost vol-77; order-1217 is disputed." });

const artifactStore = createMemoryArtifactStore();
const records = createMemoryRecords();
const gateway = createGateway({
  records,
  artifactStore,
  mode: "full",
  timeoutMs: 10_000,
  hint: (artifactId) => `search_artifact ${artifactId}`,
});
const proxy = await openProxy({ gateway, upstream: api.baseUrl("openai"), port: 0 });

// The agent. It knows only the proxy's base URL, and a tool that returns what a result leaves out.
const sent = [];
const provider = createOpenAICompatible({
  name: "example",
  baseURL: proxy.url,
  apiKey: "none",
  fetch: (url, init) => {
    sent.push(String(init?.body));
    return fetch(url, init);
  },
});
let next = 0;
const tools = Object.fromEntries(
  [...new Set(calls.map(({ name }) => name))].map((name) => [
    name,
    tool({ inputSchema: z.object({}), execute: () => calls[next++]?.result ?? "" }),
  ]),
);
tools["search_artifact"] = tool({
  description: "The lines of a result with a word, by the id at its end",
  inputSchema: z.object({ id: z.string(), word: z.string() }),
  execute: async ({ id, word }) => {
    const whole = new TextDecoder().decode(await artifactStore.retrieve(id));
    return whole
      .split("\n")
      .filter((line) => line.includes(word))
      .slice(0, 50)
      .join("\n");
  },
});
const { text } = await generateText({
  model: provider("gpt-5"),
  prompt: "Why do orders fail since 10:40? Name the volume, the order and the test.",
  tools,
  stopWhen: stepCountIs(calls.length + 1),
});

console.log("request  as sent  as it went out  (bytes)");
const went = api.calls.map(({ body }) => JSON.stringify(body));
for (const [at, body] of went.entries())
  console.log(
    `${String(at + 1).padStart(7)} ${String(sent[at]?.length).padStart(8)} ${String(body.length).padStart(15)}`,
  );

const { directUsd, usd, changed } = proxy.stats();
const saved = (100 * (directUsd - usd)) / directUsd;
console.log(`\n${text}`);
console.log(
  `input for $${usd.toFixed(4)} in place of $${directUsd.toFixed(4)}, cache counted: ${saved.toFixed(1)} % less`,
);
const last = went.at(-1) ?? "";
for (const fact of facts)
  console.log(`${last.includes(fact) ? "still shown" : "gone       "}  ${fact}`);

assert.ok(changed > 0 && usd < directUsd, "the run costs more than without the proxy");
assert.deepEqual(
  facts.filter((fact) => !last.includes(fact)),
  [],
);
// Control: the same number of bytes from the end of what the agent sent does not contain the facts.
const end = `${sent.at(-1)}`.slice(-last.length);
const atEnd = facts.filter((fact) => end.indexOf(fact) >= 0);
assert.notDeepEqual(atEnd, facts, "the end alone would hold the facts too");
// A provider's cache covers a prompt as far as it equals the start of the previous one.
let [all, same] = [0, 0];
for (const [at, { body }] of api.calls.slice(1).entries()) {
  const before = JSON.stringify(api.calls[at]?.body.messages).slice(0, -1);
  const now = JSON.stringify(body.messages);
  const end = [...before].findIndex((letter, place) => letter !== now[place]);
  all += before.length;
  same += end < 0 ? before.length : end;
}
const share = (100 * same) / all;
console.log(
  `${share.toFixed(1)} % of what was sent before stands at the beginning of the next prompt`,
);
assert.ok(share > 75, "the provider's cache is lost too often");
const [log] = calls;
const kept = await artifactStore.retrieve(sha256Hex(log.result));
assert.equal(new TextDecoder().decode(kept), log.result);

await proxy.close();
await api.close();
