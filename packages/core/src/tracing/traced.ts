import type {
  ContextManager,
  MeterProvider,
  MetricOptions,
  Span,
  SpanContext,
  TracerProvider,
} from "@opentelemetry/api";

import { withoutUndefined } from "../json/json-record.ts";

/**
 * Span attributes by OpenTelemetry name. Undefined values are left out. Never include prompt text.
 */
export type TraceAttributes = Record<string, string | number | boolean | string[] | undefined>;

/** A started span. */
export interface TraceSpan {
  set(attributes: TraceAttributes): void;
  /** Calls `work` with this span as the parent of any new spans, regardless of the current context. */
  within<Value>(work: () => Value): Value;
}

/** The providers that an application has registered. */
interface Api {
  trace?: TracerProvider | undefined;
  context?: ContextManager | undefined;
  metrics?: MeterProvider | undefined;
}

/**
 * The global key under which every copy of `@opentelemetry/api` 1 stores the registered providers.
 */
const apiKey: unique symbol = Symbol.for("opentelemetry.js.api.1") as never;
/** The key under which a context holds its span. Every copy of the API creates the same key. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");
const instrumentationName = "@ccl";
const noSpan: TraceSpan = { set: () => undefined, within: (work) => work() };
const errorStatus = { code: 2 };
/** Kinds of spans. */
const [internal, client] = [0, 2];

/**
 * Calls `work` in a span. The span ends when `work` returns or, if it returns a promise, when the
 * promise settles. `until` returns another promise to wait for, such as the end of a stream. If the
 * application has registered no tracer with `@opentelemetry/api`, it only calls `work`.
 */
export function traced<Value>(
  name: string,
  attributes: TraceAttributes,
  work: (span: TraceSpan) => Value,
  until: (value: Value) => unknown = (value) => value,
): Value {
  const api = apiNow();
  if (api?.trace === undefined) return work(noSpan);
  const tracer = api.trace.getTracer(instrumentationName);
  const startedMs = performance.now();
  // Only model calls set a provider name.
  const isModel = attributes["gen_ai.provider.name"] !== undefined;
  const known: TraceAttributes = {
    "ccl.operation.name": isModel ? undefined : name,
    ...attributes,
  };
  const options = {
    kind: isModel ? client : internal,
    attributes: withoutUndefined(attributes),
  };
  return tracer.startActiveSpan(name, options, (span) => {
    const { context: manager } = api;
    const context = manager?.active();
    const set: TraceSpan["set"] = (more) => {
      Object.assign(known, more);
      span.setAttributes(withoutUndefined(more));
    };
    const end = (failure?: { error: unknown }): void => {
      if (failure !== undefined) set({ "error.type": errorType(failure.error) });
      if (known["error.type"] !== undefined) span.setStatus(errorStatus);
      span.end();
      recordMetrics(api, known, (performance.now() - startedMs) / 1000);
    };
    try {
      const value = work({
        set,
        within: (inner) =>
          manager === undefined || context === undefined ? inner() : manager.with(context, inner),
      });
      const ended = until(value);
      if (ended instanceof Promise)
        ended.then(
          () => end(),
          (error: unknown) => end({ error }),
        );
      else end();
      return value;
    } catch (error) {
      end({ error });
      throw error;
    }
  });
}

/**
 * Returns the active trace and span as a W3C `traceparent`. Store it with work that another process
 * will continue.
 */
export function currentTrace(): string | undefined {
  const span = apiNow()?.context?.active().getValue(spanKey) as
    | Pick<Span, "spanContext">
    | undefined;
  if (span === undefined) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/**
 * Calls `work` with the span of a `currentTrace`, possibly of another process, as the parent of its
 * spans. An invalid trace is ignored.
 */
export function continueTrace<Value>(trace: string | undefined, work: () => Value): Value {
  const context = trace === undefined ? undefined : apiNow()?.context;
  const parts = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(trace ?? "");
  const [, traceId = "", spanId = "", flags = ""] = parts ?? [];
  if (context === undefined || parts === null) return work();
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  // A tracer reads nothing else from a span.
  const remote = { spanContext: (): SpanContext => spanContext };
  return context.with(context.active().setValue(spanKey, remote), work);
}

function apiNow(): Api | undefined {
  return (globalThis as { [apiKey]?: Api | undefined })[apiKey];
}

/** Returns the type of an error. Its message stays out of spans, because it may quote a prompt. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "_OTHER";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Attributes used as metric labels. Each has low cardinality. */
const dimensions = [
  "ccl.operation.name",
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  "server.address",
  "server.port",
  "error.type",
];

/**
 * Creates 14 bucket boundaries, each `factor` times the previous one. The boundaries for model calls
 * come from the OpenTelemetry GenAI conventions.
 */
const buckets = (unit: string, factor: number, from: number): MetricOptions => ({
  unit,
  advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, at) => from * factor ** at) },
});
const seconds = buckets("s", 2, 0.01);
const tokens = buckets("{token}", 4, 1);
/** Buckets from 0.1 ms, for work within the process. */
const inProcessSeconds = buckets("s", 4, 0.0001);

function recordMetrics({ metrics }: Api, known: TraceAttributes, durationS: number): void {
  const meter = metrics?.getMeter(instrumentationName);
  if (meter === undefined) return;
  const labels = withoutUndefined(
    Object.fromEntries(dimensions.map((name) => [name, known[name]])),
  );
  if (known["gen_ai.provider.name"] === undefined)
    return meter
      .createHistogram("ccl.operation.duration", inProcessSeconds)
      .record(durationS, labels);
  meter.createHistogram("gen_ai.client.operation.duration", seconds).record(durationS, labels);
  for (const type of ["input", "output"]) {
    const used = known[`gen_ai.usage.${type}_tokens`];
    if (typeof used !== "number") continue;
    const typedLabels = { ...labels, "gen_ai.token.type": type };
    meter.createHistogram("gen_ai.client.token.usage", tokens).record(used, typedLabels);
  }
}
