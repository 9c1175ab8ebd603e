import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import {
  createArtifactTools,
  createContextCompiler,
  openSession,
  runCompiled,
  type RunStep,
  type Session,
} from "@ccl/context-compiler";
import { explainModelFailure } from "@ccl/providers/environment";
import { toOpenAiMessages } from "@ccl/providers/wire/openai-chat";
import type { ToolDefinition } from "@ccl/core";

import { openModel, type RecordedModel } from "./open-model.ts";
import { openStores, type Stores } from "./open-stores.ts";
import { showOwnSteps } from "./own-steps.ts";

const budget = 2_000;
const systemPrompt =
  "You look after a web shop. Read the logs before you answer, and quote the line that you go by.";
const question = "Orders have been failing since ten o'clock. Why?";

/** About 10 KB, of which one line matters. */
const logText = Array.from({ length: 200 }, (_, line) =>
  line === 97
    ? "10:02:11 ERROR payment-gateway: certificate expired 2 minutes ago"
    : `10:0${Math.floor(line / 60)}:${String(line % 60).padStart(2, "0")} INFO checkout: order ${70_000 + line} stored in 12 ms`,
).join("\n");

const readLog: ToolDefinition<Record<string, never>, string> = {
  name: "read_log",
  description: "The log of the shop since ten o'clock.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  execute: async () => logText,
};

/**
 * A large result goes to the artifact store when it is recorded. The prompt shows what fits, and the result's handle.
 */
async function showHandle(session: Session, { artifacts }: Stores): Promise<string> {
  await session.record("user_input", { content: question });
  await session.record("tool_call", { callId: "call_0", name: "read_log", arguments: "{}" });
  await session.record("tool_success", { callId: "call_0", name: "read_log", content: logText });
  const context = await createContextCompiler().compile(session, { budget, systemPrompt });
  const [ref] = context.artifactRefs;
  assert.ok(ref !== undefined, "the result went to the artifact store");
  assert.ok(
    context.isWithinBudget() && context.tokenCount <= budget,
    "the context is within its budget",
  );
  assert.equal(context.history.length, 3, "question, call and result are there");
  const shown = String(context.toolResults[0]?.content);
  assert.ok(shown.length < logText.length, "what does not fit is left out");
  assert.ok(shown.includes("certificate expired"), "what went wrong is shown");
  assert.ok(shown.includes(ref.artifactId.slice(0, 12)), "the handle is shown");
  console.log(
    `the log has ${ref.sizeBytes} bytes; the whole prompt takes ${context.tokenCount} of ${budget} tokens:`,
  );
  console.log(shown.replaceAll(/^/gm, "  "));
  const payload = await artifacts.retrieve(ref.artifactId);
  assert.equal(new TextDecoder().decode(payload), logText, "the payload comes back by its handle");
  console.log("the payload came back by its handle, byte for byte");
  return ref.artifactId;
}

/** The model reads the rest of the artifact by itself. */
async function letModelRead(
  session: Session,
  { model, isScripted, bodies }: RecordedModel,
): Promise<void> {
  const tools = [readLog, ...createArtifactTools({ session })];
  const compiler = createContextCompiler();
  const run = await runCompiled({
    session,
    compiler,
    model,
    tools,
    budget,
    systemPrompt,
    maxSteps: 8,
  });
  console.log(`the model answered after ${run.steps.length} calls: ${run.text}`);
  for (const [index, step] of run.steps.entries()) checkBody(step, bodies()[index]);
  console.log("each prompt went over the wire as it was compiled, byte for byte");
  if (!isScripted) return;
  assert.match(run.text, /certificate/);
  const read = session.messages().find(({ message }) => message.toolCallId === "call_1")?.message;
  assert.match(
    String(read?.content),
    /lines 98 to 98/,
    "the tool gave the line that was asked for",
  );
  assert.match(String(read?.content), /certificate expired/);
  const prompts = bodies().map(({ messages }) => JSON.stringify(messages).slice(0, -1));
  assert.ok(
    prompts[1]?.startsWith(prompts[0] ?? ""),
    "the next prompt begins with the bytes of the one before",
  );
  assert.equal(
    run.steps[1]?.context.prefixStableTokens,
    run.steps[0]?.context.tokenCount,
    "so that it is cached",
  );
}

function checkBody({ context }: RunStep, body: Record<string, unknown> | undefined): void {
  const { messages, tools } = body ?? {};
  assert.equal(JSON.stringify(messages), JSON.stringify(toOpenAiMessages(context.toMessages())));
  const named = context.tools.map(({ name, description, inputSchema: parameters }) => {
    return { type: "function", function: { name, description, parameters } };
  });
  assert.equal(JSON.stringify(tools), JSON.stringify(named));
}

/** Another process compiles the same bytes from the same log. */
async function checkReopened(before: Session, { sessions, artifacts }: Stores): Promise<void> {
  const session = await openSession({
    store: sessions,
    sessionId: before.sessionId,
    artifactStore: artifacts,
  });
  const prompts = [before, session].map(async (one) => {
    const context = await createContextCompiler().compile(one, { budget, systemPrompt });
    return JSON.stringify(context.toMessages());
  });
  const [written, reopened] = await Promise.all(prompts);
  assert.equal(reopened, written);
  console.log(`opened again, the session's ${session.eventLog.length} events give the same prompt`);
}

process.on("uncaughtException", (error) => {
  console.error(explainModelFailure(error) ?? error);
  process.exit(1);
});

const folder = await mkdtemp(path.join(tmpdir(), "ccl-quickstart-"));
const stores = await openStores(folder);
try {
  console.log(`kept in ${stores.kind}`);
  const session = await openSession({ store: stores.sessions, artifactStore: stores.artifacts });
  const artifactId = await showHandle(session, stores);
  const input = JSON.stringify({
    handle: artifactId.slice(0, 12),
    lines: { start: 98, end: 98 },
  });
  const model = await openModel([
    { type: "answer", toolCalls: [{ id: "call_1", name: "read_artifact", arguments: input }] },
    {
      type: "answer",
      text: "The payment gateway's certificate has expired: line 98 of the log says so.",
    },
  ]);
  await letModelRead(session, model).finally(() => model.close());
  await checkReopened(session, stores);
  await showOwnSteps();
} finally {
  await stores.close();
  await rm(folder, { recursive: true });
}
