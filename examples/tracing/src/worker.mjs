// A worker that starts a run under the span of a request, reports each span that has ended, and never gets an answer.
import { createRunEngine } from "@ccl/operations";
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
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);

const stores = await openSqliteOperationStores({ path: process.argv[2] });
let runId;
const engine = createRunEngine({
  ...stores,
  // Its lease has expired for all other workers.
  clock: { now: () => Date.now() - 3_600_000 },
  recover: false,
  mainModel: {
    provider: "p",
    modelId: "m",
    async generate() {
      const spans = exporter.getFinishedSpans();
      const told = spans.map((span) => ({ name: span.name, ...span.spanContext() }));
      process.send({ runId, spans: told });
      await new Promise(() => setInterval(() => {}, 1_000));
    },
  },
});
await trace.getTracer("app").startActiveSpan("POST /chat", async (request) => {
  ({ runId } = await engine.start({ chatId: "chat-2", message: "Will it rain?", profile }));
  request.end();
});
