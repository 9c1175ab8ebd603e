import { createJsonSchemaChecker } from "@ccl/structured-output/json-schema";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

import { connectedClient } from "../__fixtures__/connected-client.ts";
import { stdioServer } from "../__fixtures__/stdio-server.ts";
import { openMcpProxy } from "./open-mcp-proxy.ts";
import { publicNames, serverPrefix } from "./public-names.ts";
import { repairTool } from "./repair-tool.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const object = { type: "object" };
const text = { type: "string" };

/** Tools that break a list somewhere, each with what the list says of it; undefined for what nothing can call. */
const malformed: [given: unknown, name: string | undefined][] = [
  [{ name: "null_description", description: null, inputSchema: object }, "null_description"],
  [{ name: "number_title", title: 5, inputSchema: object }, "number_title"],
  [{ name: "no_schema" }, "no_schema"],
  [{ name: "null_schema", inputSchema: null }, "null_schema"],
  [{ name: "list_schema", inputSchema: [] }, "list_schema"],
  [{ name: "text_schema", inputSchema: "object" }, "text_schema"],
  [{ name: "bare_schema", inputSchema: {} }, "bare_schema"],
  [{ name: "types", inputSchema: { type: ["object", "null"] } }, "types"],
  [{ name: "any_of", inputSchema: { anyOf: [{ ...object, properties: { a: text } }] } }, "any_of"],
  [{ name: "one_of", inputSchema: { ...object, oneOf: [{ required: ["a"] }] } }, "one_of"],
  [{ name: "all_of", inputSchema: { ...object, allOf: [{ properties: { a: text } }] } }, "all_of"],
  [{ name: "not", inputSchema: { ...object, not: { required: ["a"] } } }, "not"],
  [{ name: "root_ref", inputSchema: { $ref: "#/$defs/a", $defs: { a: object } } }, "root_ref"],
  [{ name: "loop", inputSchema: { $ref: "#" } }, "loop"],
  [
    { name: "far", inputSchema: { ...object, properties: { a: { $ref: "https://x.example/a" } } } },
    "far",
  ],
  [{ name: "lost", inputSchema: { ...object, properties: { a: { $ref: "#/$defs/b" } } } }, "lost"],
  [{ name: "pattern", inputSchema: { ...object, properties: { a: { pattern: "(" } } } }, "pattern"],
  [
    { name: "bad_type", inputSchema: { ...object, properties: { a: { type: "str" } } } },
    "bad_type",
  ],
  [{ name: "required", inputSchema: { ...object, required: "a" } }, "required"],
  [{ name: "draft4", inputSchema: { ...object, id: "x", properties: { a: text } } }, "draft4"],
  [{ name: "array_output", inputSchema: object, outputSchema: { type: "array" } }, "array_output"],
  [{ name: "null_output", inputSchema: object, outputSchema: null }, "null_output"],
  [{ name: "annotated", inputSchema: object, annotations: "none" }, "annotated"],
  [{ name: "with.dot", inputSchema: object }, "with_dot"],
  [{ name: "with space/slash", inputSchema: object }, "with_space_slash"],
  [{ name: "имя", inputSchema: object }, "___"],
  [
    { name: "long_".repeat(30), inputSchema: object },
    expect.stringMatching(/^(?:long_)+.*-[0-9a-f]{8}$/),
  ],
  [{ name: "", inputSchema: object }, undefined],
  [{ inputSchema: object }, undefined],
  [null, undefined],
  [["tool"], undefined],
];

/** A server that answers a call with the name that it was called by. */
const serverOf = (tools: readonly unknown[]): ReturnType<typeof stdioServer> =>
  stdioServer(tools, '{ content: [{ type: "text", text: params?.name }] }');

describe("malformed tools", () => {
  const healthy = {
    name: "get",
    description: "Gets it.",
    inputSchema: { ...object, properties: { a: text } },
  };

  it("of thirty kinds leave the others: each that has a name is listed, callable and reported", async () => {
    const twice = [
      { ...healthy, name: "c" },
      { ...healthy, name: "c" },
    ];
    const servers = {
      healthy: serverOf([healthy]),
      broken: serverOf([...malformed.map(([given]) => given), healthy]),
      a: serverOf([{ ...healthy, name: "b__c" }]),
      a__b: serverOf(twice),
    };
    const reported: string[] = [];
    const proxy = await openMcpProxy({
      servers,
      listTokens: 50_000,
      onToolChange: (server, change) => reported.push(`${server} ${change}`),
    });
    closers.push(() => proxy.close());
    const client = await connectedClient(proxy.factory);
    closers.push(() => client.close());
    const statistics = (): unknown[] =>
      Object.values(proxy.statistics().servers).map(({ problem }) => problem);
    await vi.waitUntil(() => statistics().every((problem) => problem === undefined), 50_000);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const expected = malformed.flatMap(([, name]) => (name === undefined ? [] : [name]));
    expect(
      names.filter((name) => name.startsWith("broken__")).map((name) => name.slice(8)),
    ).toEqual([...expected, "get"]);
    expect(new Set(names).size).toBe(names.length);
    const own = new Map([
      ["healthy__get", "get"],
      ["broken__get", "get"],
      ["a__b__c", "b__c"],
    ]);
    for (const [at, name] of names.entries()) {
      if (!/__/.test(name)) continue;
      const { content } = await client.callTool({ name, arguments: {} });
      const given =
        malformed[names.slice(0, at).filter((one) => one.startsWith("broken__")).length]?.[0];
      const wanted =
        own.get(name) ??
        (name.startsWith("broken__") &&
        given !== null &&
        typeof given === "object" &&
        "name" in given
          ? given.name
          : "c");
      expect(content).toEqual([{ type: "text", text: wanted }]);
    }
    expect(reported.filter((line) => line.startsWith("healthy"))).toEqual([]);
    const silent = new Set<unknown>(["array_output", "null_output", "annotated", ""]);
    const unreported = malformed
      .flatMap(([given]) =>
        given !== null && typeof given === "object" && "name" in given ? [given.name] : [],
      )
      .filter(
        (name) => !silent.has(name) && !reported.join("\n").includes(`broken ${String(name)}`),
      );
    expect(unreported).toEqual([]);
    expect(reported).toContain("broken tools without a name, or listed twice: 4");
    expect(reported).toContain("a__b tools without a name, or listed twice: 1");
  });
});

/** A server whose tool gives the result that a call asks for. */
const givingServer = stdioServer(
  [{ name: "give", inputSchema: { type: "object" } }],
  "params?.arguments?.result",
);

it("results that break the protocol reach the client as texts, and legal ones as they are", async () => {
  const proxy = await openMcpProxy({ servers: { giving: givingServer }, listTokens: 50_000 });
  closers.push(() => proxy.close());
  const client = await connectedClient(proxy.factory);
  closers.push(() => client.close());
  await client.listTools();
  const block = { type: "text", text: "42" };
  const blocks = { content: [block] };
  const legal: object[] = [blocks, { content: [] }, { ...blocks, isError: true }];
  const malformed: [given: object, wanted: object][] = [
    [{ content: "42" }, blocks],
    [{ content: block }, blocks],
    [{ content: ["42"] }, blocks],
    [{ content: [{ text: "42" }] }, blocks],
    [{ content: [{ type: "weird", text: "42" }, block] }, { content: [block, block] }],
    [
      { content: [{ type: "text", text: 42 }] },
      { content: [{ ...block, text: '{"type":"text","text":42}' }] },
    ],
    [
      { content: [{ type: "image", data: "!" }] },
      { content: [{ ...block, text: '{"type":"image","data":"!"}' }] },
    ],
    [{ ...blocks, isError: null }, blocks],
    [{ ...blocks, structuredContent: null }, blocks],
    [{ ...blocks, structuredContent: ["43"] }, { content: [{ ...block, text: "42\n43" }] }],
    [{ structuredContent: "42" }, blocks],
  ];
  for (const [result, wanted] of [...malformed, ...legal.map((one) => [one, one] as const)]) {
    const answer = await client.callTool({ name: "give", arguments: { result } });
    const texts = JSON.stringify(
      answer.content.map((one) => (one.type === "text" ? one.text : one)),
    );
    const { content, isError = false }: { content?: object[]; isError?: boolean } = wanted;
    const expected = JSON.stringify(content?.map((one) => ("text" in one ? one.text : one)));
    expect(texts.replaceAll('","', "\\n")).toBe(expected.replaceAll('","', "\\n"));
    expect(answer.isError ?? false).toBe(isError);
  }
});

describe("repairTool", () => {
  const part = fc.constantFrom<unknown>(
    null,
    1,
    "x",
    [],
    {},
    text,
    { $ref: "#/x" },
    { type: "str" },
    { anyOf: [text] },
  );
  const schema = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        type: fc.constantFrom<unknown>("object", "array", ["object"], 5),
        properties: fc.oneof(
          fc.dictionary(fc.string({ maxLength: 5 }), part, { maxKeys: 4 }),
          part,
        ),
        required: fc.oneof(fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }), part),
        anyOf: fc.array(part, { maxLength: 3 }),
        allOf: part,
        $defs: fc.oneof(fc.dictionary(fc.string({ maxLength: 5 }), part, { maxKeys: 2 }), part),
      },
      { requiredKeys: [] },
    ),
  );

  it("makes of any schema one that is an object, can be read and has no alternatives at its root", () => {
    fc.assert(
      fc.property(schema, fc.jsonValue(), (inputSchema, description) => {
        const repaired = repairTool({ name: "tool", description, inputSchema });
        const given = repaired?.tool.inputSchema ?? { type: "object" };
        expect(given.type).toBe("object");
        expect(
          Object.keys(given).filter((key) => /^(?:anyOf|oneOf|allOf|not|enum|\$ref)$/.test(key)),
        ).toEqual([]);
        expect(() => createJsonSchemaChecker(given)).not.toThrow();
        const isText = typeof description === "string";
        expect(repaired?.tool.description).toBe(isText ? description : undefined);
      }),
    );
  });
});

describe("public names", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 80 }),
    fc.stringMatching(/^[ab]_{0,3}[ab.]{1,3}$/),
  );
  const servers = fc.uniqueArray(fc.tuple(name, fc.uniqueArray(name, { maxLength: 6 })), {
    selector: ([server]) => server,
    minLength: 1,
    maxLength: 5,
  });

  it("are legal, and no two tools have one, whatever the names of servers and tools", () => {
    fc.assert(
      fc.property(servers, fc.boolean(), (given, isAlone) => {
        const shown = (isAlone ? given.slice(0, 1) : given).flatMap(([server, own]) => {
          const naming = {
            prefix: isAlone ? undefined : serverPrefix(server),
            reserved: new Set(["a"]),
          };
          return [...publicNames(own, naming).values()];
        });
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.filter((one) => !/^[A-Za-z0-9_-]{1,64}$/.test(one) || one === "a")).toEqual(
          [],
        );
      }),
    );
  });

  it("are the server's own where those are legal", () => {
    const own = ["get", "a.b", "a_b", "call_tool"];
    const naming = { prefix: undefined, reserved: new Set(["call_tool"]) };
    expect([...publicNames(own, naming)]).toEqual([
      ["get", "get"],
      ["a.b", expect.stringMatching(/^a_b-[0-9a-f]{8}$/)],
      ["a_b", "a_b"],
      ["call_tool", "server__call_tool"],
    ]);
    expect(["files", "a__b", "a_"].map(serverPrefix)).toEqual([
      "files",
      expect.stringMatching(/^a_b-[0-9a-f]{4}$/),
      expect.stringMatching(/^a-[0-9a-f]{4}$/),
    ]);
  });
});
