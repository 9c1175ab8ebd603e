import { createMemoryArtifactStore } from "@ccl/artifact-store";
import type { ToolDefinition } from "@ccl/core";
import { createFixedClock, createSequentialIds } from "@ccl/core/testing";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { redactOf } from "../session/recording-session.ts";
import { alignOutput } from "./align-output.ts";
import { checkerOf } from "./checker-of.ts";
import { createArtifactTools } from "./create-artifact-tools.ts";
import { createSession } from "../session/create-session.ts";
import type { SessionEvent } from "../event/session-event.ts";
import type { Session } from "../session/session.ts";
import {
  createToolInterruptHandler,
  functionToolBridge,
  type ToolBridge,
  type ToolInterruptHandler,
  type ToolOutput,
} from "./index.ts";

const masking = { check: undefined, redact: redactOf(createSession()) };
const anyInput = { type: "object" };

/** A bridge with one tool whose answer the test provides. */
function bridgeOf(answer: ToolBridge["call"], tool: object = {}): ToolBridge {
  return { tools: () => Promise.resolve([{ name: "look", ...tool }]), call: answer };
}

function handlerOf(
  bridge: ToolBridge,
  options: { session?: Session } = {},
): { handler: ToolInterruptHandler; session: Session } {
  const session =
    options.session ??
    createSession({ clock: createFixedClock(1_700_000_000_000), ids: createSequentialIds() });
  return {
    handler: createToolInterruptHandler({ session, bridge, ids: createSequentialIds() }),
    session,
  };
}

const storedIn = (session: Session): SessionEvent<"artifact_stored"> | undefined =>
  Array.from(session.eventLog).find((event) => event.kind === "artifact_stored");
const kindsOf = (session: Session): string[] => Array.from(session.eventLog, ({ kind }) => kind);
const never = new Promise<never>(() => undefined);
const text = (content: string): Promise<ToolOutput> => Promise.resolve({ content });

describe("a call", () => {
  it("is recorded before the tool runs, with its outcome afterwards", async () => {
    const seen: string[][] = [];
    const { handler, session } = handlerOf(
      bridgeOf(() => {
        seen.push(kindsOf(session));
        return text("42 files");
      }),
    );
    const event = await handler.call("look", { at: "/" }, { callId: "c1" });
    expect(seen).toEqual([["tool_call"]]);
    expect(kindsOf(session)).toEqual(["tool_call", "tool_success"]);
    expect(event).toMatchObject({
      kind: "tool_success",
      data: { callId: "c1", name: "look", content: "42 files" },
    });
    expect(session.eventLog.at(0)).toMatchObject({
      data: { callId: "c1", arguments: '{"at":"/"}' },
    });
  });

  const outcomes: [string, ToolBridge["call"], string, RegExp][] = [
    [
      "throws at once",
      () => {
        throw new Error("no such disk");
      },
      "tool_error",
      /no such disk/,
    ],
    [
      "throws what has no text",
      () => {
        throw Object.create(null);
      },
      "tool_error",
      /without a message/,
    ],
    [
      "rejects with an error whose message is no text",
      () => Promise.reject(Object.assign(new Error("x"), { message: { code: 500 } })),
      "tool_error",
      /object Object/,
    ],
    [
      "answers with what no event can hold",
      () =>
        Promise.resolve({
          content: [{ type: "image", mimeType: "image/png", data: "no bytes" }],
        } as never),
      "tool_error",
      /can't be recorded/,
    ],
    ["rejects", () => Promise.reject(new Error("disk gone")), "tool_error", /disk gone/],
    ["rejects with no error", () => Promise.reject("plain words"), "tool_error", /plain words/],
    [
      "says that it failed",
      () => Promise.resolve({ content: "quota exceeded", isError: true }),
      "tool_error",
      /quota/,
    ],
  ];
  it.each(outcomes)("of a tool that %s has one outcome", async (_, answer, kind, said) => {
    const { handler, session } = handlerOf(bridgeOf(answer));
    const event = await handler.call("look", {});
    expect(kindsOf(session)).toEqual(["tool_call", kind]);
    expect(event).toMatchObject({ data: { content: expect.stringMatching(said) } });
  });

  it("of a tool that hangs times out, and the tool is aborted", async () => {
    let given: AbortSignal | undefined;
    const { handler, session } = handlerOf(
      bridgeOf((_name, _input, { signal }) => {
        given = signal;
        return never;
      }),
    );
    const event = await handler.call("look", {}, { timeoutMs: 5 });
    expect(event).toMatchObject({ kind: "tool_timeout", data: { timeoutMs: 5 } });
    expect(given?.aborted).toBe(true);
    expect(kindsOf(session)).toEqual(["tool_call", "tool_timeout"]);
  });

  it("that is answered late is recorded as late and never shown", async () => {
    let answer: (output: ToolOutput) => void = () => undefined;
    const { handler, session } = handlerOf(
      bridgeOf(() => new Promise((resolve) => (answer = resolve))),
    );
    await handler.call("look", {}, { timeoutMs: 5, callId: "c1" });
    answer({ content: "too late" });
    await vi.waitFor(() => expect(session.eventLog.length).toBe(3));
    expect(session.eventLog.at(2)).toMatchObject({
      kind: "tool_success",
      data: { isLate: true, content: "too late" },
    });
    expect(JSON.stringify(session.messages().map(({ message }) => message))).not.toContain(
      "too late",
    );
  });

  it("that is aborted reaches the tool, gets an outcome in the log, and throws", async () => {
    const controller = new AbortController();
    let given: AbortSignal | undefined;
    const { handler, session } = handlerOf(
      bridgeOf((_name, _input, { signal }) => {
        given = signal;
        controller.abort();
        return never;
      }),
    );
    await expect(handler.call("look", {}, { signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(given?.aborted).toBe(true);
    expect(kindsOf(session)).toEqual(["tool_call", "tool_error"]);
    await expect(handler.call("look", {}, { signal: controller.signal })).rejects.toBeInstanceOf(
      ContextCompilerError,
    );
    expect(session.eventLog.length).toBe(2);
  });

  it("that is aborted while it is recorded never reaches the tool", async () => {
    const controller = new AbortController();
    const inner = createSession();
    const session: Session = {
      ...inner,
      record: async (...given) => {
        const event = await inner.record(...given);
        controller.abort();
        return event;
      },
    };
    const answer = vi.fn<ToolBridge["call"]>(() => never);
    const { handler } = handlerOf(bridgeOf(answer), { session });
    const calling = handler.call("look", {}, { signal: controller.signal });
    await expect(calling).rejects.toMatchObject({ code: "aborted" });
    expect(kindsOf(inner)).toEqual(["tool_call", "tool_error"]);
    expect(answer).not.toHaveBeenCalled();
  });

  it("keeps its outcome when the clock is set back in between", async () => {
    const times = [5_000, 1_000];
    const clock = { ...createFixedClock(0), now: () => times.shift() ?? 1_000 };
    const session = createSession();
    const handler = createToolInterruptHandler({
      session,
      bridge: bridgeOf(() => text("paid")),
      clock,
    });
    expect(await handler.call("look", {})).toMatchObject({
      kind: "tool_success",
      data: { durationMs: 0 },
    });
  });

  it.each([Number.NaN, -1])(
    "with a time limit of %d is rejected before it is recorded",
    async (timeoutMs) => {
      const { handler, session } = handlerOf(bridgeOf(() => text("ok")));
      await expect(handler.call("look", {}, { timeoutMs })).rejects.toMatchObject({
        code: "invalid_options",
      });
      expect(kindsOf(session)).toEqual([]);
    },
  );

  it("that is aborted does not cancel a listing for other calls, and a hanging listing is requested again", async () => {
    let list: (tools: { name: string }[]) => void = () => undefined;
    const signals: unknown[] = [];
    const bridge: ToolBridge = {
      tools: ({ signal } = {}) => {
        signals.push(signal);
        return new Promise((resolve) => (list = resolve));
      },
      call: () => text("here"),
    };
    const { handler } = handlerOf(bridge);
    const controller = new AbortController();
    const cancelled = handler.call("look", {}, { signal: controller.signal });
    const beside = handler.call("look", {});
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "aborted" });
    list([{ name: "look" }]);
    expect(await beside).toMatchObject({ kind: "tool_success" });
    const later = handler.call("look", {});
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    list([{ name: "look" }]);
    expect(await later).toMatchObject({ kind: "tool_success" });
  });

  it("of an unknown tool lists the known ones", async () => {
    const { handler } = handlerOf(bridgeOf(() => text("x")));
    expect(await handler.call("lok", {})).toMatchObject({
      kind: "tool_error",
      data: { content: expect.stringContaining("There are: look") },
    });
  });

  it("lists the tools again for one that was added later", async () => {
    const names = [["a"], ["a", "b"]];
    const bridge: ToolBridge = {
      tools: () => Promise.resolve((names.shift() ?? ["a", "b"]).map((name) => ({ name }))),
      call: (name) => text(name),
    };
    const { handler } = handlerOf(bridge);
    await handler.call("a", {});
    expect(await handler.call("b", {})).toMatchObject({ kind: "tool_success" });
  });

  it.each([
    ["no JSON", '{"at": '],
    ["arguments that are not an object", "[1]"],
    ["a missing argument", "{}"],
    ["an argument of the wrong type", '{"at": 1}'],
  ])("with %s is an error for the model and never runs", async (_, args) => {
    const call = vi.fn<ToolBridge["call"]>(() => text("x"));
    const inputSchema = {
      type: "object",
      properties: { at: { type: "string" } },
      required: ["at"],
    };
    const { handler } = handlerOf(bridgeOf(call, { inputSchema }));
    expect(await handler.call("look", args)).toMatchObject({ kind: "tool_error" });
    expect(call).not.toHaveBeenCalled();
    expect(await handler.call("look", '{"at": "/"}')).toMatchObject({ kind: "tool_success" });
  });

  it("has exactly one outcome that is not late, whatever tools do and in whatever order they end", async () => {
    const behaviour = fc.constantFrom("answers", "rejects", "throws", "hangs", "answers late");
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 6 }), async (behaviours) => {
        const late: (() => void)[] = [];
        const { handler, session } = handlerOf(
          bridgeOf((_name, input) => {
            const which = behaviours[Number(Reflect.get(Object(input), "n"))];
            if (which === "throws") throw new Error("thrown");
            if (which === "rejects") return Promise.reject(new Error("rejected"));
            if (which === "hangs") return never;
            if (which === "answers") return text("fine");
            return new Promise((resolve) => late.push(() => resolve({ content: "late" })));
          }),
        );
        const calls = behaviours.map((_, n) => ({
          id: `c${n}`,
          name: "look",
          arguments: JSON.stringify({ n }),
        }));
        const events = await handler.callAll(calls, { timeoutMs: 3 });
        expect(events.map(({ data }) => data.callId)).toEqual(calls.map(({ id }) => id));
        for (const answer of late) answer();
        await vi.waitFor(() =>
          expect(session.eventLog.length).toBe(behaviours.length * 2 + late.length),
        );
        for (const { id } of calls) {
          const outcomes = session.eventLog
            .filter(["tool_success", "tool_error", "tool_timeout"])
            .filter(({ data }) => data.callId === id && data.isLate !== true);
          expect(outcomes).toHaveLength(1);
        }
      }),
      { numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 100) / 10) },
    );
  });
});

describe("an answer", () => {
  const outputSchema = {
    type: "object",
    properties: { count: { type: "integer" } },
    required: ["count"],
  };

  it.each([
    ["that is not JSON", { content: "about 3" }, /not JSON/],
    ["of another shape", { content: '{"count": "3"}' }, /\/count: type/],
    [
      "whose value is of another shape",
      { content: "3", structured: { count: "3" } },
      /\/count: type/,
    ],
  ])("%s breaks the tool's schema and is not shown", async (_, output, said) => {
    const { handler } = handlerOf(bridgeOf(() => Promise.resolve(output), { outputSchema }));
    const event = await handler.call("look", {});
    expect(event).toMatchObject({
      kind: "tool_error",
      data: { content: expect.stringMatching(said) },
    });
  });

  it.each([
    [
      "draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "array",
        items: [{ const: 1 }],
        additionalItems: false,
      },
    ],
    ["2020-12", { type: "array", prefixItems: [{ const: 1 }], items: false }],
  ])("is checked by schemas of %s", async (_, schema) => {
    const kindOf = async (content: string): Promise<string> => {
      const { handler } = handlerOf(bridgeOf(() => text(content), { outputSchema: schema }));
      return (await handler.call("look", {})).kind;
    };
    expect(await kindOf("[1]")).toBe("tool_success");
    expect(await kindOf("[1, 2]")).toBe("tool_error");
  });

  it("with a schema that does not compile is rejected with the tool's name", () => {
    expect(() => checkerOf("look", { type: "nonsense" })).toThrow(/"look" does not compile/);
  });

  it("loses its secrets and terminal escapes before anything is recorded", async () => {
    const secret = `sk-proj-${"a1B2".repeat(12)}`;
    const { handler, session } = handlerOf(
      bridgeOf(() => text(`\u001B[31mred\u001B[0m \u001B]0;title\u0007key ${secret}\u0000`)),
    );
    await handler.call("look", {});
    const log = JSON.stringify([...session.eventLog]);
    expect(log).not.toContain("a1B2a1B2");
    expect(log).not.toContain("u001b");
    expect(log).toContain("red");
  });

  it.each([
    String.raw`{"at":"postgres:\/\/me:pa55word99@host\/db"}`,
    String.raw`{"key":"\u0073k-proj-${"a1B2".repeat(12)}"}`,
  ])("loses secrets with JSON escapes: %s", (content) => {
    const aligned = alignOutput({ content }, masking);
    expect(JSON.stringify(aligned)).not.toMatch(/pa55word99|sk-proj/);
  });

  it("keeps escapes that hide nothing", () => {
    const content = String.raw`{"a":"\/ \u0026 \\u0026 \u0022 \n"}`;
    expect(alignOutput({ content }, masking)).toEqual({ ok: true, value: content });
  });

  it("remains valid JSON where an escape is undone", () => {
    const value = { at: "postgres://me:pa55word99@host/db", odd: '\\u0026 \\/ " \n', and: "a&b" };
    const content = JSON.stringify(value)
      .replaceAll("/", String.raw`\/`)
      .replaceAll("&", String.raw`\u0026`);
    const aligned = alignOutput({ content }, masking);
    const shown: unknown = aligned.ok ? JSON.parse(String(aligned.value)) : undefined;
    expect(shown).toEqual({ ...value, at: "postgres://me:[redacted:url_password]@host/db" });
  });

  it("keeps images with their bytes and type", async () => {
    const data = new Uint8Array([137, 80, 78, 71]);
    const { handler, session } = handlerOf(
      bridgeOf(() =>
        Promise.resolve({ content: [{ type: "image", mimeType: "image/png", data }] }),
      ),
    );
    await handler.call("look", {});
    const message = session.messages().at(-1)?.message;
    expect(message?.content).toEqual([{ type: "image", mimeType: "image/png", data }]);
  });

  it("that is large goes to the store, with a handle in its place", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = createSession({ artifactStore });
    const big = Array.from({ length: 3_000 }, (_, line) => `line ${line}`).join("\n");
    const { handler } = handlerOf(
      bridgeOf(() => text(big)),
      { session },
    );
    await handler.call("look", {}, { callId: "c1" });
    expect(kindsOf(session)).toEqual(["tool_call", "artifact_stored", "tool_success"]);
    const stored = storedIn(session);
    expect(stored?.data).toMatchObject({ source: "tool:look", callId: "c1" });
    const bytes = await artifactStore.retrieve(stored?.data.artifactId ?? "");
    expect(new TextDecoder().decode(bytes)).toBe(big);
    expect(JSON.stringify(session.eventLog.at(-1)).length).toBeLessThan(big.length / 4);
  });
});

it("goes to the handler's own store if the session has none", async () => {
  const artifactStore = createMemoryArtifactStore();
  const session = createSession();
  const bridge = bridgeOf(() => text("a line\n".repeat(4_000)));
  const handler = createToolInterruptHandler({ session, bridge, artifactStore });
  await handler.call("look", {});
  expect(kindsOf(session)).toEqual(["tool_call", "artifact_stored", "tool_success"]);
  expect(await artifactStore.exists(storedIn(session)?.data.artifactId ?? "")).toBe(true);
});

describe("function tools", () => {
  const tool: ToolDefinition<{ n: number }, unknown> = {
    name: "twice",
    description: "Doubles a number.",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    outputSchema: {
      type: "object",
      properties: { twice: { type: "number" } },
      required: ["twice"],
    },
    execute: ({ n }) => Promise.resolve({ twice: n * 2 }),
  };

  it("return JSON, checked by their own schema", async () => {
    const { handler } = handlerOf(functionToolBridge([tool]));
    expect(await handler.call("twice", { n: 2 })).toMatchObject({
      kind: "tool_success",
      data: { content: '{"twice":4}' },
    });
    const wrong = { ...tool, execute: () => Promise.resolve({ thrice: 6 }) };
    expect(
      await handlerOf(functionToolBridge([wrong])).handler.call("twice", { n: 2 }),
    ).toMatchObject({
      kind: "tool_error",
    });
  });

  it("need unique names", () => {
    expect(() => functionToolBridge([tool, tool])).toThrow(/same name/);
  });

  it("may return parts, with bytes in base64 as in MCP", async () => {
    const part = { type: "image", mimeType: "image/png", data: "AQID" };
    const tool: ToolDefinition = {
      name: "draw",
      description: "Draws.",
      inputSchema: anyInput,
      execute: () => Promise.resolve({ content: [{ type: "text", text: "Here:" }, part] }),
    };
    const { content } = await functionToolBridge([tool]).call(
      "draw",
      {},
      { callId: "c", signal: new AbortController().signal, timeoutMs: 9 },
    );
    expect(content).toEqual([
      { type: "text", text: "Here:" },
      { ...part, data: new Uint8Array([1, 2, 3]) },
    ]);
  });

  it("that return nothing answer with an empty text", async () => {
    const silent = {
      name: "silent",
      description: "",
      inputSchema: anyInput,
      execute: () => Promise.resolve(undefined),
    };
    const { handler } = handlerOf(functionToolBridge([silent]));
    expect(await handler.call("silent", {})).toMatchObject({
      kind: "tool_success",
      data: { content: "" },
    });
  });
});

describe("read_artifact", () => {
  const lines = Array.from({ length: 2_000 }, (_, line) => `${line + 1}: Grüße 😀`);

  async function storedSession(
    content: ToolOutput["content"] = lines.join("\n"),
  ): Promise<{ session: Session; handler: ToolInterruptHandler; id: string }> {
    const session = createSession({
      artifactStore: createMemoryArtifactStore(),
      offloadAboveTokens: 100,
    });
    const big = bridgeOf(() => Promise.resolve({ content }));
    const reader = functionToolBridge(createArtifactTools({ session }));
    const bridge: ToolBridge = {
      tools: async () => [...(await big.tools()), ...(await reader.tools())],
      call: (name, input, call) => (name === "look" ? big : reader).call(name, input, call),
    };
    const { handler } = handlerOf(bridge, { session });
    await handler.call("look", {});
    return { session, handler, id: storedIn(session)?.data.artifactId ?? "" };
  }

  const contentOf = async (handler: ToolInterruptHandler, input: object): Promise<string> => {
    const event = await handler.call("read_artifact", input);
    const { content } = event.data;
    return typeof content === "string" ? content : JSON.stringify(content);
  };

  it("reads lines by the id digits that the prompt shows, and says how to continue", async () => {
    const { handler, id } = await storedSession();
    const answer = await contentOf(handler, {
      handle: id.slice(0, 12),
      lines: { start: 3, end: 5 },
    });
    expect(answer).toBe(
      `[artifact ${id.slice(0, 12)}, text/plain; charset=utf-8, lines 3 to 5, go on with lines from 6]\n${lines.slice(2, 5).join("\n")}`,
    );
  });

  it("is never stored again, however large", async () => {
    const { handler, session, id } = await storedSession();
    await contentOf(handler, { handle: id });
    expect(kindsOf(session).filter((kind) => kind === "artifact_stored")).toHaveLength(1);
    expect(session.eventLog.at(-1)).toMatchObject({ data: { isArtifactRead: true } });
  });

  it("returns the whole text, piece by piece, by lines and by bytes", async () => {
    const { handler, id } = await storedSession();
    let byLines = "";
    for (let start = 1; ;) {
      const [head = "", ...body] = (
        await contentOf(handler, { handle: id, lines: { start } })
      ).split("\n");
      byLines += `${body.join("\n")}\n`;
      const next = /go on with lines from (\d+)/.exec(head);
      if (next === null) break;
      start = Number(next[1]);
    }
    expect(byLines.trimEnd()).toBe(lines.join("\n"));
    const bytes = new TextEncoder().encode(lines.join("\n")).length;
    const answer = await contentOf(handler, { handle: id, bytes: { start: bytes - 9 } });
    expect(answer).toBe(
      `[artifact ${id.slice(0, 12)}, text/plain; charset=utf-8, bytes ${bytes - 9} to ${bytes} of ${bytes}]\n😀`.replace(
        "\n",
        "\nße ",
      ),
    );
  });

  it.each([
    ["", { start: 301 }, /it has 300 lines/],
    ["\n", { start: 301 }, /it has 300 lines/],
    ["\n", { start: 300, end: 20 }, /lines end at 20, before they start at 300/],
    ["", { start: 300 }, /^\[artifact \w+, text.*lines 300 to 300/],
  ])("counts 300 lines that end in %j correctly, from %o on", async (lastEnd, asked, words) => {
    const { handler, id } = await storedSession(
      `${Array.from({ length: 300 }, () => "words").join("\n")}${lastEnd}`,
    );
    expect(await contentOf(handler, { handle: id, lines: asked })).toMatch(words);
  });

  it("cuts a line that is too long and says where", async () => {
    const { handler, id } = await storedSession("x".repeat(5_000));
    const answer = await contentOf(handler, { handle: id });
    expect(answer.split("\n")[0]).toContain("line 1 is longer; read it by bytes from 1600");
  });

  it("shows images whole and other bytes as base64", async () => {
    const data = new Uint8Array(6_000).fill(7);
    const image = await storedSession([{ type: "image", mimeType: "image/png", data }]);
    const event = await image.handler.call("read_artifact", { handle: image.id });
    expect(event.kind).toBe("tool_success");
  });

  it("finds the id within the words that the prompt shows around it", async () => {
    const { handler, id } = await storedSession();
    for (const artifact of [
      ` ${id} `,
      `artifact ${id.slice(0, 12)}`,
      id.slice(0, 12).toUpperCase(),
    ]) {
      expect(await contentOf(handler, { handle: artifact, lines: { start: 1, end: 1 } })).toContain(
        lines[0],
      );
    }
  });

  it.each(["0123456789ab", "../../etc/passwd", "", "f".repeat(64)])(
    "rejects %j, which is no artifact of the session",
    async (artifact) => {
      const { handler } = await storedSession();
      expect(await contentOf(handler, { handle: artifact })).toContain("can't be read");
    },
  );
});
