// A chat turn as a trace: the OpenTelemetry tracer of an application receives the spans, without any setting of ours.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createContextCompiler, createSession } from "@ccl/context-compiler";
import { estimatedCounter } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { createOperationRegistry, createRunEngine } from "@ccl/operations";
import { openSqliteOperationStores } from "@ccl/operations/sqlite";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

import { profile } from "./profile.mjs";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(provider);

const secret = "the weather in Lisbon";
const engine = createRunEngine({
  mainModel: createScriptedModel(["Sunny."]),
  limits: { prompt: { counter: estimatedCounter, budget: 4_000 } },
});
// Like the span of an HTTP request.
await trace.getTracer("app").startActiveSpan("POST /chat", async (request) => {
  const run = await engine.start({ chatId: "chat-1", message: secret, profile });
  await run.result;
  request.end();
});

console.log(`One chat turn as its trace. A line is a span, indented below the one that began it; "broken" fails on
purpose, and the turn goes on. No span has a word of the chat.
`);
const spans = exporter.getFinishedSpans();
const draw = (parent, depth) => {
  for (const span of spans.filter((one) => one.parentSpanContext?.spanId === parent)) {
    const { "error.type": error = "", "ccl.run.status": status = "" } = span.attributes;
    console.log(`${"  ".repeat(depth)}${span.name} ${error}${status}`.trimEnd());
    draw(span.spanContext().spanId, depth + 1);
  }
};
draw(undefined, 0);

const named = (name) => spans.find((span) => span.name === name);
const [request, run] = [named("POST /chat"), named("run")];
assert.equal(run?.parentSpanContext?.spanId, request?.spanContext().spanId);
for (const name of ["main call", "operation place", "operation tone", "operation length"])
  assert.equal(named(name)?.parentSpanContext?.spanId, run?.spanContext().spanId, name);
assert.equal(new Set(spans.map((span) => span.spanContext().traceId)).size, 1);
// No content is recorded.
assert.ok(
  !JSON.stringify(spans.map(({ name, attributes }) => [name, attributes])).includes("Lisbon"),
);

// A prompt with notes from a memory shows the search for them.
exporter.reset();
const session = createSession();
await session.record("user_input", { content: secret });
const memory = { search: async () => [{ memoryId: "m-1", text: "Lives in Lisbon." }] };
await createContextCompiler({ memory }).compile(session, { budget: 4_000 });
const [search, compile] = ["memory search", "compile"].map((name) =>
  exporter.getFinishedSpans().find((span) => span.name === name),
);
assert.equal(search.attributes["ccl.memory.hits"], 1);
assert.equal(search.parentSpanContext?.spanId, compile.spanContext().spanId);
assert.ok(!JSON.stringify([search.attributes, compile.attributes]).includes("Lisbon"));
console.log(`\nA prompt that is compiled with a memory:\n${compile.name}\n  ${search.name}`);

// A worker is killed in the main call. Another one continues the same trace.
exporter.reset();
const folder = await mkdtemp(join(tmpdir(), "ccl-tracing-"));
const path = join(folder, "runs.db");
const worker = fork(new URL("worker.mjs", import.meta.url), [path]);
const [{ runId, spans: ofWorker }] = await once(worker, "message");
worker.kill("SIGKILL");
await once(worker, "exit");
const stores = await openSqliteOperationStores({ path });
const registry = createOperationRegistry();
registry.define(profile);
const second = createRunEngine({
  ...stores,
  registry,
  mainModel: createScriptedModel(["No."]),
  recover: false,
});
const resumed = await second.resume(runId);
assert.equal((await resumed.result).status, "done");
await stores.close();
await rm(folder, { recursive: true });
console.log(
  "\nWorker 1 was killed in the main call, and worker 2 took the run over. The second column, the trace, stays the same:",
);
for (const { name, traceId } of ofWorker) console.log(`  1 ${traceId.slice(0, 8)} ${name}`);
const ofSecond = exporter.getFinishedSpans();
for (const span of ofSecond)
  console.log(`  2 ${span.spanContext().traceId.slice(0, 8)} ${span.name}`);
const origin = ofWorker.find(({ name }) => name === "POST /chat");
assert.ok(ofWorker.some(({ name }) => name === "operation tone"));
const nameOf = (spanList) => spanList.map(({ name }) => name);
assert.ok(
  nameOf(ofSecond).includes("operation length") && !nameOf(ofSecond).includes("operation tone"),
);
const traces = [
  ...ofWorker.map(({ traceId }) => traceId),
  ...ofSecond.map((span) => span.spanContext().traceId),
];
assert.deepEqual([...new Set(traces)], [origin.traceId]);
const again = ofSecond.find(({ name }) => name === "run");
assert.equal(again.parentSpanContext.spanId, origin.spanId);
