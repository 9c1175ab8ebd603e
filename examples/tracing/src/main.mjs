// A chat turn as a trace: what an application registers with OpenTelemetry gets the spans, with no setting of ours.
import assert from "node:assert/strict";

import { estimatedCounter } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { compute, createRunEngine, defineProfile, template } from "@ccl/operations";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(provider);

const secret = "the weather in Lisbon";
const profile = defineProfile({
  id: "forecast",
  operations: {
    tone: template("Answer in one line.", { appendTo: "system" }),
    place: compute(() => "Lisbon"),
    length: compute(({ answer }) => answer.length, { after: true, dependsOn: [] }),
    broken: compute(() => Promise.reject(new Error("No index.")), { required: false }),
  },
});
const engine = createRunEngine({
  mainModel: createScriptedModel(["Sunny."]),
  limits: { prompt: { counter: estimatedCounter, budget: 4_000 } },
});
// As the span of an HTTP request would be.
await trace.getTracer("app").startActiveSpan("POST /chat", async (request) => {
  const run = await engine.start({ chatId: "chat-1", message: secret, profile });
  await run.result;
  request.end();
});

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
// No content unless it is asked for.
assert.ok(
  !JSON.stringify(spans.map(({ name, attributes }) => [name, attributes])).includes("Lisbon"),
);
