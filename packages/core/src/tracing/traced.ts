import type {
  ContextManager,
  MeterProvider,
  MetricOptions,
  Span,
  SpanContext,
  TracerProvider,
} from "@opentelemetry/api";

import { withoutUndefined } from "../json/json-record.ts";

/** Facts of a span by their names in OpenTelemetry; those that are undefined are left out. Never what a prompt says. */
export type TraceAttributes = Record<string, string | number | boolean | string[] | undefined>;

/** A span that has begun. */
export interface TraceSpan {
  set(attributes: TraceAttributes): void;
  /** Calls with the span as the parent of others, from wherever this is called. */
  within<Value>(work: () => Value): Value;
}

/** What an application has registered. */
interface Api {
  trace?: TracerProvider | undefined;
  context?: ContextManager | undefined;
  metrics?: MeterProvider | undefined;
}

/** Where every copy of `@opentelemetry/api` 1 keeps what an application has registered. */
const registered: unique symbol = Symbol.for("opentelemetry.js.api.1") as never;
/** By which a context holds its span; every copy of the API makes the same key. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");
const library = "@ccl";
const noSpan: TraceSpan = { set: () => undefined, within: (work) => work() };
const failed = { code: 2 };
/** Kinds of spans. */
const [internal, client] = [0, 2];

/**
 * Calls `work` in a span, which ends with what it returns or, where that is a promise, resolves to; `until` names another end,
 * such as that of a stream. Only calls it where the application has registered no tracer with `@opentelemetry/api`.
 */
export function traced<Value>(
  name: string,
  attributes: TraceAttributes,
  work: (span: TraceSpan) => Value,
  until: (value: Value) => unknown = (value) => value,
): Value {
  const api = apiNow();
  if (api?.trace === undefined) return work(noSpan);
  const tracer = api.trace.getTracer(library);
  const startedMs = performance.now();
  // Only a call of a model has a provider.
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
    const end = (error?: unknown): void => {
      if (error !== undefined) set({ "error.type": errorType(error) });
      if (known["error.type"] !== undefined) span.setStatus(failed);
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
      if (ended instanceof Promise) ended.then(() => end(), end);
      else end();
      return value;
    } catch (error) {
      end(error);
      throw error;
    }
  });
}

/** The trace and the span that are under way as a `traceparent` of W3C Trace Context, to be kept beside work that others continue. */
export function currentTrace(): string | undefined {
  const span = apiNow()?.context?.active().getValue(spanKey) as
    | Pick<Span, "spanContext">
    | undefined;
  if (span === undefined) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Calls `work` with the span of a `currentTrace`, of any process, as the parent of its spans. What is no trace is passed over. */
export function continueTrace<Value>(trace: string | undefined, work: () => Value): Value {
  const context = trace === undefined ? undefined : apiNow()?.context;
  const parts = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(trace ?? "");
  const [, traceId = "", spanId = "", flags = ""] = parts ?? [];
  if (context === undefined || parts === null) return work();
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  // A tracer asks for nothing else of a span.
  const remote = { spanContext: (): SpanContext => spanContext };
  return context.with(context.active().setValue(spanKey, remote), work);
}

function apiNow(): Api | undefined {
  return (globalThis as { [registered]?: Api | undefined })[registered];
}

/** A message may quote what was sent, so a span has only the kind of an error. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "_OTHER";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Of all that a span knows, metrics keep what has few values. */
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

/** 14 buckets that grow by a factor. Those of a model's call are the ones of the GenAI conventions. */
const buckets = (unit: string, factor: number, from: number): MetricOptions => ({
  unit,
  advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, at) => from * factor ** at) },
});
const seconds = buckets("s", 2, 0.01);
const tokens = buckets("{token}", 4, 1);
/** Work inside the process takes a tenth of a millisecond or more. */
const ownSeconds = buckets("s", 4, 0.0001);

function recordMetrics({ metrics }: Api, known: TraceAttributes, durationS: number): void {
  const meter = metrics?.getMeter(library);
  if (meter === undefined) return;
  const kept = withoutUndefined(Object.fromEntries(dimensions.map((name) => [name, known[name]])));
  if (known["gen_ai.provider.name"] === undefined)
    return meter.createHistogram("ccl.operation.duration", ownSeconds).record(durationS, kept);
  meter.createHistogram("gen_ai.client.operation.duration", seconds).record(durationS, kept);
  for (const type of ["input", "output"]) {
    const used = known[`gen_ai.usage.${type}_tokens`];
    if (typeof used !== "number") continue;
    const of = { ...kept, "gen_ai.token.type": type };
    meter.createHistogram("gen_ai.client.token.usage", tokens).record(used, of);
  }
}
