import { describe, expect, it } from "vitest";
import { exact, sampleSession } from "../../test-support/sample-session.ts";
import { fitMessages } from "../fit/fit-messages.ts";
import { artifactAttacher } from "./artifact-attacher.ts";
import { compactor } from "./compactor.ts";
import { createContextCompiler } from "./create-context-compiler.ts";
import { historySelector } from "./history-selector.ts";
import { memoryPreloader } from "./memory-preloader.ts";

const refused = (code: string, words: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(words) });

const requests: [options: string, words: string][] = [
  ["null", "The options of compile must be an object, not null"],
  ['{"budget": "900"}', 'not the text "900" with a reserve of 0'],
  ['{"budget": 900, "reserve": "5"}', 'A reserve is a number of tokens from 0, not the text "5"'],
  ['{"budget": 900, "reserve": null}', "A reserve is a number of tokens from 0, not null"],
  ['{"budget": 900, "reserve": -1}', "A reserve is a number of tokens from 0, not -1"],
  ['{"budget": 900, "systemPrompt": 5}', "systemPrompt is a text, not 5"],
  ['{"budget": 900, "volatile": null}', "volatile is a text, not null"],
  [
    '{"budget": 900, "tools": {}}',
    "The tools are a list of tool definitions, not a value of type object",
  ],
  ['{"budget": 900, "tools": [null]}', "tools[0] needs a name"],
  [
    '{"budget": 900, "tools": [{"name": "a"}]}',
    "tools[0] needs a name and, if any, a description as text, and an inputSchema",
  ],
  ['{"budget": 900, "signal": {}}', "signal must be an object with `addEventListener`"],
];

const settings: [settings: string, words: string][] = [
  ["null", "The options of a compiler must be an object, not null"],
  ['{"counter": {}}', "counter must be an object with `count`"],
  ['{"counter": null}', "counter must be an object with `count`, not null"],
  ['{"memory": {}}', "memory must be an object with `search`"],
  ['{"artifactStore": {}}', "artifactStore must be an object with `store` and `retrieve`"],
  ['{"cutTo": 5}', "cutTo is a share from 0 to 1, not 5"],
  ['{"processors": {}}', "processors is a list of processors"],
  ['{"processors": [null]}', "processors[0] must be an object with `process`, not null"],
];

describe("compile rejects, by name,", () => {
  it.each(requests)("%s", async (options, words) => {
    const { compile } = createContextCompiler({ counter: exact });
    await expect(compile(sampleSession(), JSON.parse(options))).rejects.toEqual(
      refused("invalid_options", words),
    );
  });

  it.each(["null", "{}", "5"])("the session %s", async (session) => {
    const { compile } = createContextCompiler({ counter: exact });
    const compiling = compile(JSON.parse(session), { budget: 900, systemPrompt: "" });
    await expect(compiling).rejects.toEqual(
      refused("invalid_options", "The session must be an object with"),
    );
  });
});

const cyclic: Record<string, unknown> = { type: "object" };
cyclic["self"] = cyclic;

describe("an inputSchema that JSON can't hold is rejected with the name of the tool", () => {
  it.each([
    ["cyclic", cyclic, "circular"],
    ["a bigint", { minimum: 1n }, "BigInt"],
    ["nothing", { toJSON: () => undefined }, "written as nothing"],
    ["a failure", { toJSON: () => fail("no schema") }, "no schema"],
    [
      "a failing member",
      Object.defineProperty({}, "type", { enumerable: true, get: () => fail("no type") }),
      "no type",
    ],
  ])("%s", async (_name, inputSchema, words) => {
    const tools = [{ name: "search", description: "", inputSchema }];
    const error = refused(
      "invalid_options",
      'The inputSchema of the tool "search" has to be JSON: ',
    );
    const because = refused("invalid_options", words);
    const given = { budget: 900, systemPrompt: "", tools };
    const { compile } = createContextCompiler();
    const compiling = (): unknown => Reflect.apply(compile, undefined, [sampleSession(), given]);
    await expect(compiling()).rejects.toEqual(error);
    await expect(compiling()).rejects.toEqual(because);
    expect(() => Reflect.apply(fitMessages, undefined, [[], given])).toThrow(error as Error);
  });
});

function fail(message: string): never {
  throw new Error(message);
}

describe("createContextCompiler rejects, by name,", () => {
  it.each(settings)("%s", (given, words) => {
    expect(() => createContextCompiler(JSON.parse(given))).toThrow(
      refused("invalid_options", words) as Error,
    );
  });

  it.each([
    [memoryPreloader, "null", "The options of memoryPreloader must be an object, not null"],
    [
      memoryPreloader,
      '{"topK": "5"}',
      'topK of memoryPreloader is a number from 0, not the text "5"',
    ],
    [
      memoryPreloader,
      '{"timeoutMs": -1}',
      "timeoutMs of memoryPreloader is a number from 0, not -1",
    ],
    [
      compactor,
      '{"maxMessageTokens": "5"}',
      'maxMessageTokens of compactor is a number from 0, not the text "5"',
    ],
    [
      artifactAttacher,
      '{"aboveTokens": -1}',
      "aboveTokens of artifactAttacher is a number from 0, not -1",
    ],
    [historySelector, "null", "The options of historySelector must be an object, not null"],
  ])("the options %o: %s", (create, given, words) => {
    expect(() => create(JSON.parse(given))).toThrow(refused("invalid_options", words) as Error);
  });

  it("a processor without a name", () => {
    const nameless = { process: () => expect.fail() };
    const create = (): unknown =>
      Reflect.apply(createContextCompiler, undefined, [{ processors: [nameless] }]);
    expect(create).toThrow(refused("invalid_options", "processors[0] needs a name") as Error);
  });
});
