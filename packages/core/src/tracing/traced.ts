import { withoutUndefined } from "../json/json-record.ts";

/** Facts of a span by their names in OpenTelemetry; those that are undefined are left out. Never what a prompt says. */
export type TraceAttributes = Record<string, string | number | boolean | undefined>;

/** A span that has begun. */
export interface TraceSpan {
  set(attributes: TraceAttributes): void;
  /** Calls with the span as the parent of others, from wherever this is called. */
  within<Value>(work: () => Value): Value;
}

/** What is used of the API of OpenTelemetry. */
interface Span {
  spanContext(): SpanContext;
  setAttributes(attributes: TraceAttributes): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

interface SpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: object): Context;
}

interface Api {
  trace?:
    | {
        getTracer(name: string): {
          startActiveSpan<Value>(
            name: string,
            options: { attributes: TraceAttributes },
            work: (span: Span) => Value,
          ): Value;
        };
      }
    | undefined;
  context?:
    | { active(): Context; with<Value>(context: Context, work: () => Value): Value }
    | undefined;
  metrics?:
    | {
        getMeter(name: string): {
          createHistogram(
            name: string,
            options: { unit: string },
          ): { record(value: number, attributes: TraceAttributes): void };
        };
      }
    | undefined;
}

/** Where every copy of `@opentelemetry/api` 1 keeps what an application has registered. */
const registered: unique symbol = Symbol.for("opentelemetry.js.api.1") as never;
/** By which a context holds its span; every copy of the API makes the same key. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");
const library = "@ccl";
const noSpan: TraceSpan = { set: () => undefined, within: (work) => work() };
const failed = { code: 2 };

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
  return tracer.startActiveSpan(name, { attributes: withoutUndefined(attributes) }, (span) => {
    const { context: manager } = api;
    const context = manager?.active();
    const end = (error?: unknown): void => {
      const type = error === undefined ? undefined : errorType(error);
      if (type !== undefined) {
        span.setAttributes({ "error.type": type });
        span.setStatus(failed);
      }
      span.end();
      recordDuration(api, { ...attributes, "error.type": type }, performance.now() - startedMs);
    };
    try {
      const value = work({
        set: (more) => span.setAttributes(withoutUndefined(more)),
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
  return context.with(context.active().setValue(spanKey, remoteSpan(spanContext)), work);
}

/** Of which a tracer asks for its context alone. */
function remoteSpan(context: SpanContext): Pick<Span, "spanContext"> {
  return { spanContext: () => context };
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
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "error.type",
];

function recordDuration({ metrics }: Api, attributes: TraceAttributes, ms: number): void {
  const kept = dimensions.flatMap((name) =>
    attributes[name] === undefined ? [] : [[name, attributes[name]] as const],
  );
  const name =
    attributes["gen_ai.operation.name"] === "chat"
      ? "gen_ai.client.operation.duration"
      : "ccl.operation.duration";
  metrics
    ?.getMeter(library)
    .createHistogram(name, { unit: "s" })
    .record(ms / 1000, Object.fromEntries(kept));
}
