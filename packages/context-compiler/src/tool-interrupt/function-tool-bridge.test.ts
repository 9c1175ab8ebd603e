import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSession } from "../session/create-session.ts";
import type { ToolOutcomeEvent } from "./tool-event.ts";
import { createToolInterruptHandler, functionToolBridge } from "./index.ts";

function answering(answer: () => unknown, outputSchema?: object): Promise<ToolOutcomeEvent> {
  const tool = {
    name: "look",
    description: "",
    inputSchema: { type: "object" },
    outputSchema,
    execute: () => Promise.resolve(answer()),
  };
  return createToolInterruptHandler({
    session: createSession(),
    bridge: functionToolBridge([tool]),
  }).call("look", {});
}

class Filters {}

const cyclic = (): object => {
  const value: Record<string, unknown> = { id: 1 };
  return Object.assign(value, { self: value });
};

describe("a function's return value", () => {
  it.each([
    ["a PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image", "image/png"],
    ["a JPEG", [0xff, 0xd8, 0xff, 0xe0], "image", "image/jpeg"],
    ["a GIF", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61], "image", "image/gif"],
    ["a WebP", [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50], "image", "image/webp"],
    ["other bytes", [1, 2, 3], "file", "application/octet-stream"],
    ["no bytes", [], "file", "application/octet-stream"],
  ])("%s becomes a part with its media type", async (_, bytes, type, mimeType) => {
    const data = Buffer.from(bytes);
    const content = [{ type, mimeType, dataBase64: data.toString("base64") }];
    for (const answer of [data, Uint8Array.from(data), Uint8Array.from(bytes).buffer]) {
      expect(await answering(() => answer)).toMatchObject({
        kind: "tool_success",
        data: { content },
      });
    }
  });

  it.each([
    ["a Map", () => new Map([["a", 1]]), '[["a",1]]'],
    ["a Set", () => ({ tags: new Set(["x", "y"]) }), '{"tags":["x","y"]}'],
    [
      "a bigint",
      () => ({ count: 12n, id: 12_345_678_901_234_567_890n }),
      '{"count":12,"id":"12345678901234567890"}',
    ],
    ["a value that is not a number", () => [Number.NaN, -Infinity, 0.5], "[null,null,0.5]"],
    ["a class with entries", () => ({ to: new Headers({ a: "b" }) }), '{"to":[["a","b"]]}'],
    [
      "a class instance without fields inside an object",
      () => ({ id: 1, filters: new Filters() }),
      '{"id":1,"filters":{}}',
    ],
    ["a pattern and boxed values", () => [/a+/g, Object(true), Object("x")], '["/a+/g",true,"x"]'],
    ["a boxed value", () => Object(true), "true"],
    ["a date", () => ({ at: new Date(0) }), '{"at":"1970-01-01T00:00:00.000Z"}'],
    [
      "bytes inside an object",
      () => ({ a: Buffer.from("hi"), b: new Uint8Array([1]) }),
      '{"a":"aGk=","b":"AQ=="}',
    ],
    [
      "an error inside an object",
      () => [{ status: "rejected", reason: new Error("no disk") }],
      '[{"status":"rejected","reason":"no disk"}]',
    ],
    [
      "objects without fields",
      () => ({ a: {}, b: Object.create(null), c: [] }),
      '{"a":{},"b":{},"c":[]}',
    ],
    ["null", () => null, "null"],
    ["nothing", () => undefined, ""],
  ])("%s keeps its content", async (_, answer, content) => {
    expect(await answering(answer)).toMatchObject({ kind: "tool_success", data: { content } });
  });

  it.each([
    ["an error", () => new Error("no such disk"), /^"no such disk"$/],
    [
      "an error with fields",
      () => Object.assign(new Error("no such file"), { code: "ENOENT" }),
      /^"no such file"$/,
    ],
    [
      "parts that report an error",
      () => ({ content: [{ type: "text", text: "no quota" }], isError: true }),
      /no quota/,
    ],
    ["a function", () => () => 1, /JSON: a function leaves nothing/],
    ["a symbol", () => Symbol("x"), /JSON: a symbol leaves nothing/],
    [
      "a promise inside an object",
      () => ({ rows: Promise.resolve([]) }),
      /JSON: a Promise leaves nothing/,
    ],
    ["a class instance without fields", () => new Filters(), /JSON: a Filters leaves nothing/],
    ["a stream", () => new ReadableStream(), /JSON: a ReadableStream leaves nothing/],
    ["a generator", () => (function* () {})(), /leaves nothing/],
    ["a cycle", cyclic, /JSON: .*circular/],
    ["a value that JSON.stringify fails on", () => ({ toJSON: fail }), /JSON: not today/],
  ])("%s fails with a message", async (_, answer, words) => {
    const event = await answering(answer);
    expect(event.kind).toBe("tool_error");
    expect(JSON.stringify(event.data.content)).toMatch(words);
  });

  it("a date is checked in the form in which it is shown", async () => {
    const schema = {
      type: "object",
      properties: { at: { type: "string" } },
      additionalProperties: false,
    };
    expect(await answering(() => ({ at: new Date(0), by: undefined }), schema)).toMatchObject({
      kind: "tool_success",
    });
  });

  it("a number without a JSON form counts as null for its schema", async () => {
    const schema = { type: "object", properties: { v: { type: ["number", "null"] } } };
    expect(await answering(() => ({ v: Number.NaN }), schema)).toMatchObject({
      kind: "tool_success",
    });
  });

  it("any JSON is shown as JSON.stringify writes it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        fc.pre(typeof value !== "string");
        expect(await answering(() => value)).toMatchObject({
          data: { content: JSON.stringify(value) },
        });
      }),
      { numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 100) / 4) },
    );
  });
});

function fail(): never {
  throw new Error("not today");
}
