import { describe, expect, it, vi } from "vitest";
import { createSession } from "../session/create-session.ts";
import { createToolInterruptHandler, type BridgedTool, type ToolBridge } from "./index.ts";

interface Question {
  signal: AbortSignal | undefined;
  answer(tools: BridgedTool[]): void;
}

function asking(): {
  questions: Question[];
  handler: ReturnType<typeof createToolInterruptHandler>;
} {
  const questions: Question[] = [];
  const bridge: ToolBridge = {
    tools: ({ signal } = {}) => new Promise((answer) => questions.push({ signal, answer })),
    call: () => Promise.resolve({ content: "here" }),
  };
  return { questions, handler: createToolInterruptHandler({ session: createSession(), bridge }) };
}

describe("a listing of tools", () => {
  it("is cancelled when its call times out, and the next call lists again", async () => {
    const { questions, handler } = asking();
    expect(await handler.call("look", {}, { timeoutMs: 5 })).toMatchObject({
      kind: "tool_timeout",
    });
    expect(questions.map(({ signal }) => signal?.aborted)).toEqual([true]);
    const later = handler.call("look", {});
    await vi.waitFor(() => expect(questions).toHaveLength(2));
    questions[1]?.answer([{ name: "look" }]);
    expect(await later).toMatchObject({ kind: "tool_success" });
    expect(questions[1]?.signal?.aborted).toBe(false);
  });

  it("is cancelled when its last caller gives up", async () => {
    const { questions, handler } = asking();
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => handler.call("look", {}, { signal }));
    await vi.waitFor(() => expect(questions).toHaveLength(1));
    first.abort();
    await expect(calls[0]).rejects.toMatchObject({ code: "aborted" });
    expect(questions[0]?.signal?.aborted).toBe(false);
    second.abort();
    await expect(calls[1]).rejects.toMatchObject({ code: "aborted" });
    expect(questions[0]?.signal?.aborted).toBe(true);
  });

  it("continues for other calls when the application gives up", async () => {
    const { questions, handler } = asking();
    const controller = new AbortController();
    const beside = handler.call("look", {});
    await vi.waitFor(() => expect(questions).toHaveLength(1));
    const tools = handler.tools({ signal: controller.signal });
    controller.abort();
    await expect(tools).rejects.toMatchObject({ code: "aborted" });
    expect(questions[0]?.signal?.aborted).toBe(false);
    questions[0]?.answer([{ name: "look" }]);
    expect(await beside).toMatchObject({ kind: "tool_success" });
  });

  it("does not start for an aborted signal", async () => {
    const { questions, handler } = asking();
    await expect(handler.tools({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(questions).toEqual([]);
  });
});
