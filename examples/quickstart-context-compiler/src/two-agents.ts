// One agent hands a question to another one, which sees the question and one stored result, and returns an answer with
// evidence.
import assert from "node:assert/strict";

import { createMemoryArtifactStore } from "@ccl/artifact-store";
import {
  createArtifactTools,
  createContextCompiler,
  createSession,
  handOff,
  runCompiled,
  verifyEvidencePack,
} from "@ccl/context-compiler";
import type { ToolDefinition } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";

const log = Array.from({ length: 2_000 }, (_, line) =>
  line === 970 ? "ERROR payment: certificate expired" : `INFO checkout: order ${line} stored`,
).join("\n");

const session = createSession({ artifactStore: createMemoryArtifactStore() });
const compiler = createContextCompiler();
const researcher = createScriptedModel([
  ({ messages }) => {
    const [, handle = ""] = /artifact ([0-9a-f]{12})/.exec(JSON.stringify(messages)) ?? [];
    const input = JSON.stringify({ handle, query: "ERROR" });
    return { toolCalls: [{ id: "r1", name: "search_artifact", arguments: input }] };
  },
  ({ messages }) => {
    const answer = String(messages.findLast(({ role }) => role === "tool")?.content);
    assert.match(answer, /certificate expired/);
    return "The certificate of the payment gateway has expired (line 971).";
  },
]);

const askResearcher: ToolDefinition<{ question: string }, string> = {
  name: "ask_researcher",
  description: "Has someone look for the answer in the stored logs.",
  inputSchema: { type: "object", properties: { question: { type: "string" } } },
  async execute({ question }) {
    const stored = [...session.eventLog].flatMap(({ kind, data }) =>
      kind === "artifact_stored" ? [data.artifactId] : [],
    );
    const { session: own, report } = await handOff(session, { task: question, artifacts: stored });
    const tools = createArtifactTools({ session: own });
    const { text } = await runCompiled({
      session: own,
      compiler,
      model: researcher,
      tools,
      budget: 2_000,
    });
    const { result, evidence } = await report(text);
    assert.ok(verifyEvidencePack(evidence, [...own.eventLog]).ok);
    console.log(`the researcher did ${evidence.entries.length} things: ${result}`);
    return result;
  },
};

const readLog: ToolDefinition<Record<string, never>, string> = {
  name: "read_log",
  description: "The log of the shop.",
  inputSchema: { type: "object", properties: {} },
  execute: async () => log,
};

const question = "What went wrong at ten o'clock?";
const lead = createScriptedModel([
  { toolCalls: [{ id: "l1", name: "read_log", arguments: "{}" }] },
  { toolCalls: [{ id: "l2", name: "ask_researcher", arguments: JSON.stringify({ question }) }] },
  "Renew the certificate of the payment gateway.",
]);
const run = await runCompiled({
  session,
  compiler,
  model: lead,
  tools: [readLog, askResearcher],
  budget: 1_500,
  input: "Customer 4711 can't pay. What do we do?",
});
console.log(`the lead: ${run.text}`);

const seen = JSON.stringify(researcher.requests.map(({ messages }) => messages));
assert.ok(seen.includes(question) && !seen.includes("4711"), "the researcher sees its task alone");
assert.ok(
  [...session.eventLog].some(
    ({ kind, data }) => kind === "phase_result" && data.phase === "handoff",
  ),
  "the lead's log says what came back",
);
