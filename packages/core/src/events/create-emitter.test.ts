import { afterEach, expect, test, vi } from "vitest";

import { callListener } from "./call-listener.ts";
import { createEmitter } from "./create-emitter.ts";

interface Events {
  progress: { done: number };
  end: undefined;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("calls listeners in the order of subscription, until they unsubscribe", () => {
  const emitter = createEmitter<Events>();
  const calls: string[] = [];
  const offFirst = emitter.on("progress", ({ done }) => calls.push(`first ${done}`));
  emitter.on("progress", ({ done }) => calls.push(`second ${done}`));
  emitter.emit("progress", { done: 1 });
  offFirst();
  offFirst();
  emitter.emit("progress", { done: 2 });
  expect(calls).toEqual(["first 1", "second 1", "second 2"]);
});

test("subscribes one function twice, and unsubscribes one of the two", () => {
  const emitter = createEmitter<Events>();
  let calls = 0;
  const listener = (): number => (calls += 1);
  const off = emitter.on("end", listener);
  emitter.on("end", listener);
  emitter.emit("end", undefined);
  off();
  emitter.emit("end", undefined);
  expect(calls).toBe(3);
});

test("delivers an event to the listeners at the time when it was emitted", () => {
  const emitter = createEmitter<Events>();
  const calls: string[] = [];
  emitter.on("end", () => {
    off();
    emitter.on("end", () => calls.push("late"));
  });
  const off = emitter.on("end", () => calls.push("second"));
  emitter.emit("end", undefined);
  expect(calls).toEqual(["second"]);
});

test("reports whether an event has listeners", () => {
  const emitter = createEmitter<Events>();
  expect(emitter.hasListeners("end")).toBe(false);
  emitter.on("end", () => undefined);
  expect([emitter.hasListeners("end"), emitter.hasListeners("progress")]).toEqual([true, false]);
  emitter.clear();
  expect(emitter.hasListeners("end")).toBe(false);
});

test("reports errors that listeners throw or reject with, and calls the other listeners", async () => {
  const errors: unknown[] = [];
  const emitter = createEmitter<Events>({ onListenerError: (error) => errors.push(error) });
  const calls: number[] = [];
  emitter.on("progress", () => {
    throw new Error("thrown");
  });
  emitter.on("progress", () => Promise.reject(new Error("rejected")));
  emitter.on("progress", ({ done }) => calls.push(done));
  emitter.emit("progress", { done: 1 });
  await vi.waitFor(() => expect(errors).toHaveLength(2));
  expect([calls, errors.map(String)]).toEqual([[1], ["Error: thrown", "Error: rejected"]]);
});

test("reports to the console by default, and to reportError if the platform has it", () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const error = new Error("thrown");
  const fail = (): never => {
    throw error;
  };
  callListener(fail, 1);
  expect(logged).toHaveBeenCalledExactlyOnceWith("An event listener failed:", error);
  const reported = vi.fn<(error: unknown) => void>();
  vi.stubGlobal("reportError", reported);
  callListener(fail, 1);
  expect(reported).toHaveBeenCalledExactlyOnceWith(error);
  expect(logged).toHaveBeenCalledTimes(1);
});
