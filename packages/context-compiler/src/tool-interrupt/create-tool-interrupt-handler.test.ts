import { redactSecrets } from "@ccl/core";
import { describe, expect, it } from "vitest";
import { createSession } from "../session/create-session.ts";
import { createToolInterruptHandler, type ToolBridge } from "./index.ts";

const session = createSession();
const bridge: ToolBridge = {
  tools: () => Promise.resolve([{ name: "look" }]),
  call: () => Promise.resolve({ content: "ok" }),
};

describe("a handler", () => {
  it.each([
    ["null", null, /session/],
    ["nothing", undefined, /session/],
    ["no session", { bridge }, /session/],
    ["no bridge", { session }, /bridge/],
    ["an incomplete bridge", { session, bridge: { tools: bridge.tools } }, /bridge/],
    ["a time limit of NaN", { session, bridge, timeoutMs: Number.NaN }, /not NaN/],
    ["a time limit of -1", { session, bridge, timeoutMs: -1 }, /not -1/],
    ["a time limit as text", { session, bridge, timeoutMs: "5" }, /not "5"/],
  ])("with %s is rejected when it is created", (_, options, message) => {
    const create = (): unknown => Reflect.apply(createToolInterruptHandler, undefined, [options]);
    expect(create).toThrow(
      expect.objectContaining({ code: "invalid_options", message: expect.stringMatching(message) }),
    );
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  it.each([
    ["a cycle", cycle],
    ["a function", () => 1],
    ["a value that JSON.stringify fails on", { toJSON: () => Object.create(null) + "" }],
  ])("rejects arguments of %s before it records anything", async (_, args) => {
    const own = createSession();
    const handler = createToolInterruptHandler({ session: own, bridge });
    await expect(handler.call("look", args)).rejects.toMatchObject({ code: "invalid_options" });
    expect(own.eventLog.length).toBe(0);
  });

  it("records bigints and sets in arguments in a JSON form", async () => {
    const own = createSession();
    const event = await createToolInterruptHandler({ session: own, bridge }).call("look", {
      id: 7n,
      since: new Set([1]),
    });
    expect(event.kind).toBe("tool_success");
    expect(own.eventLog.at(0)).toMatchObject({ data: { arguments: '{"id":7,"since":[1]}' } });
  });
});

describe("a tool's error message", () => {
  const said = `\u001B[31mno\u001B[0m ghp_${"a1B2c3".repeat(6)}`;
  const failures: [string, ToolBridge["call"]][] = [
    ["throws", () => Promise.reject(new Error(said))],
    ["answers", () => Promise.resolve({ content: said, isError: true })],
    [
      "answers in parts",
      () => Promise.resolve({ content: [{ type: "text", text: said }], isError: true }),
    ],
  ];
  it.each(failures)("is masked like an answer if the tool %s it", async (_, call) => {
    const redact = (piece: string): string => redactSecrets(piece).text.replace(/\bno\b/, "none");
    const own = createSession({ redact });
    const tools: ToolBridge["tools"] = () =>
      Promise.resolve([{ name: "look", outputSchema: { type: "object" } }]);
    const handler = createToolInterruptHandler({ session: own, bridge: { tools, call } });
    const event = await handler.call("look", {});
    expect(event.kind).toBe("tool_error");
    expect(JSON.stringify(event.data.content)).toMatch(/"none \[redacted:[a-z_]+\]"/);
  });
});

describe("a custom bridge", () => {
  const answers: [string, unknown][] = [
    ["nothing", undefined],
    ["null", null],
    ["a text", "42"],
    ["a number as content", { content: 5 }],
    ["no content", { text: "42" }],
    ["a part of an unknown type", { content: [{ type: "video", url: "x" }] }],
    ["a part without a type", { content: [{ text: "x" }] }],
    ["a part of null", { content: [null] }],
    ["a text part without a text", { content: [{ type: "text" }] }],
    ["an invalid media type", { content: "42", mimeType: 7 }],
  ];
  it.each(answers)(
    "that answers %s causes an error that says what to return",
    async (_, answer) => {
      const odd = Object.assign({}, bridge, { call: () => Promise.resolve(answer) });
      const handler = createToolInterruptHandler({ session: createSession(), bridge: odd });
      expect(await handler.call("look", {})).toMatchObject({
        kind: "tool_error",
        data: {
          content: expect.stringMatching(/bridge returned no usable answer; .* \{ content \}/),
        },
      });
    },
  );

  it.each([
    ["nothing", undefined],
    ["an object", { tools: [] }],
    ["nameless tools", [{}]],
  ])("that lists %s causes an error that says what to list", async (_, list) => {
    const odd = Object.assign({}, bridge, { tools: () => Promise.resolve(list) });
    const handler = createToolInterruptHandler({ session: createSession(), bridge: odd });
    expect(await handler.call("look", {})).toMatchObject({
      kind: "tool_error",
      data: { content: expect.stringContaining("lists tools as") },
    });
  });
});
