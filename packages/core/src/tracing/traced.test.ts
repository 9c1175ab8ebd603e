import {
  type Attributes,
  type Context,
  context,
  type ContextManager,
  type Histogram,
  type MeterProvider,
  type MetricOptions,
  metrics,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";

import { continueTrace, currentTrace, traced } from "./traced.ts";

afterEach(() => {
  trace.disable();
  metrics.disable();
  context.disable();
});

/** Registers a tracer through the real API, like a user, and records what it receives. */
function registerTracer(): string[] {
  const calls: string[] = [];
  const span = (name: string): Partial<Span> => ({
    setAttributes: (attributes) => {
      calls.push(`${name} ${JSON.stringify(attributes)}`);
      return span(name) as Span;
    },
    setStatus: ({ code }) => {
      calls.push(`${name} status ${code}`);
      return span(name) as Span;
    },
    end: () => void calls.push(`${name} ended`),
  });
  const tracer = {
    startActiveSpan: (name: string, _: object, work: (one: unknown) => unknown) => work(span(name)),
  } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return calls;
}

describe("traced", () => {
  it("only calls the work if nothing is registered", () => {
    expect(traced("work", {}, (span) => span.within(() => 3))).toBe(3);
  });

  it("ends a span with a value, with a promise and with the result of `until`", async () => {
    const calls = registerTracer();
    traced("now", {}, () => 1);
    const later = deferred();
    const promise = traced("later", {}, () => later.promise);
    const stream = traced(
      "stream",
      {},
      (span) => span,
      () => later.promise,
    );
    expect(calls).toEqual(["now ended"]);
    stream.set({ tokens: 3, unknown: undefined });
    later.resolve(undefined);
    await promise;
    expect(calls.slice(1)).toEqual(['stream {"tokens":3}', "later ended", "stream ended"]);
  });

  it("records the type of an error but not its message, which may quote a prompt", async () => {
    const calls = registerTracer();
    const error = Object.assign(new Error("the secret"), { code: "rate_limited" });
    await expect(traced("call", {}, () => Promise.reject(error))).rejects.toBe(error);
    expect(() =>
      traced("sync", {}, () => {
        throw new TypeError("the secret");
      }),
    ).toThrow(TypeError);
    expect(calls.join("\n")).not.toContain("secret");
    expect(calls).toContain('call {"error.type":"rate_limited"}');
    expect(calls).toContain('sync {"error.type":"TypeError"}');
  });

  it("records a rejection without a reason as an error", async () => {
    const calls = registerTracer();
    await expect(traced("call", {}, () => Promise.reject(undefined))).rejects.toBeUndefined();
    expect(calls).toContain('call {"error.type":"_OTHER"}');
    expect(calls).toContain("call status 2");
  });
});

/** The names, units and buckets of the GenAI conventions (semantic-conventions, gen-ai-metrics.md). */
const tokenBuckets = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
const secondBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

describe("a model call", () => {
  it("is a span of kind CLIENT whose duration and tokens have the names of the conventions", () => {
    const kinds: unknown[] = [];
    const recorded: {
      name: string;
      options: MetricOptions;
      value: number;
      attributes: Attributes;
    }[] = [];
    const span = { setAttributes: () => span, end: () => undefined } as unknown as Span;
    const tracer = {
      startActiveSpan: (
        _: string,
        { kind }: { kind?: SpanKind },
        work: (one: unknown) => unknown,
      ) => {
        kinds.push(kind);
        return work(span);
      },
    } as unknown as Tracer;
    trace.setGlobalTracerProvider({ getTracer: () => tracer });
    const createHistogram = (name: string, options: MetricOptions): Histogram => ({
      record: (value, attributes = {}) => void recorded.push({ name, options, value, attributes }),
    });
    const provider = { getMeter: () => ({ createHistogram }) } as unknown as MeterProvider;
    metrics.setGlobalMeterProvider(provider);
    const call = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "m",
    };
    traced("chat m", call, ({ set }) =>
      set({
        "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 90,
        "gen_ai.usage.output_tokens": 7,
      }),
    );
    traced("fit", { "ccl.tokens.after": 90 }, () => undefined);
    expect(kinds).toEqual([SpanKind.CLIENT, SpanKind.INTERNAL]);
    const of = { ...call, "gen_ai.response.model": "m-1" };
    const usage = { unit: "{token}", advice: { explicitBucketBoundaries: tokenBuckets } };
    expect(recorded.map(({ name }) => name)).toEqual([
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
      "gen_ai.client.token.usage",
      "ccl.operation.duration",
    ]);
    const [duration, input, output] = recorded;
    expect(duration).toMatchObject({ attributes: of, options: { unit: "s" } });
    expect(duration?.options.advice?.explicitBucketBoundaries).toEqual(
      secondBuckets.map((bound) => expect.closeTo(bound)),
    );
    expect(input).toEqual(
      expect.objectContaining({
        options: usage,
        value: 90,
        attributes: { ...of, "gen_ai.token.type": "input" },
      }),
    );
    expect(output).toMatchObject({ value: 7, attributes: { "gen_ai.token.type": "output" } });
  });
});

describe("continueTrace", () => {
  it("makes a stored span the parent that the API sees, and ignores an invalid one", () => {
    let active = ROOT_CONTEXT;
    const noop = (): undefined => undefined;
    context.setGlobalContextManager({
      active: () => active,
      with(next: Context, work: () => unknown) {
        const before = active;
        active = next;
        try {
          return work();
        } finally {
          active = before;
        }
      },
      bind: (_: Context, target: unknown) => target,
      enable: noop,
      disable: noop,
    } as unknown as ContextManager);
    const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    const kept = `00-${traceId}-${spanId}-01`;
    const seen = continueTrace(kept, () => trace.getSpanContext(context.active()));
    expect(seen).toEqual({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(continueTrace(kept, currentTrace)).toBe(kept);
    expect(currentTrace()).toBeUndefined();
    for (const none of [undefined, "", "00-x-y-01", `${kept}0`])
      expect(continueTrace(none, currentTrace)).toBeUndefined();
  });
});

function deferred(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
