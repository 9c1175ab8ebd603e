import {
  type Context,
  context,
  type ContextManager,
  ROOT_CONTEXT,
  type Span,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";

import { continueTrace, currentTrace, traced } from "./traced.ts";

afterEach(() => {
  trace.disable();
  context.disable();
});

/** A tracer as a user registers one by the real API, which writes down what it is told. */
function registerTracer(): string[] {
  const told: string[] = [];
  const span = (name: string): Partial<Span> => ({
    setAttributes: (attributes) => {
      told.push(`${name} ${JSON.stringify(attributes)}`);
      return span(name) as Span;
    },
    setStatus: ({ code }) => {
      told.push(`${name} status ${code}`);
      return span(name) as Span;
    },
    end: () => void told.push(`${name} ended`),
  });
  const tracer = {
    startActiveSpan: (name: string, _: object, work: (one: unknown) => unknown) => work(span(name)),
  } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return told;
}

describe("traced", () => {
  it("only calls where nothing is registered", () => {
    expect(traced("work", {}, (span) => span.within(() => 3))).toBe(3);
  });

  it("ends a span with a value, with a promise and with what `until` names", async () => {
    const told = registerTracer();
    traced("now", {}, () => 1);
    const later = deferred();
    const promise = traced("later", {}, () => later.promise);
    const stream = traced(
      "stream",
      {},
      (span) => span,
      () => later.promise,
    );
    expect(told).toEqual(["now ended"]);
    stream.set({ tokens: 3, unknown: undefined });
    later.resolve(undefined);
    await promise;
    expect(told.slice(1)).toEqual(['stream {"tokens":3}', "later ended", "stream ended"]);
  });

  it("tells the kind of an error and none of its message, which may quote a prompt", async () => {
    const told = registerTracer();
    const error = Object.assign(new Error("the secret"), { code: "rate_limited" });
    await expect(traced("call", {}, () => Promise.reject(error))).rejects.toBe(error);
    expect(() =>
      traced("sync", {}, () => {
        throw new TypeError("the secret");
      }),
    ).toThrow(TypeError);
    expect(told.join("\n")).not.toContain("secret");
    expect(told).toContain('call {"error.type":"rate_limited"}');
    expect(told).toContain('sync {"error.type":"TypeError"}');
  });
});

describe("continueTrace", () => {
  it("makes a kept span the parent that the API sees, and passes over what is none", () => {
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
