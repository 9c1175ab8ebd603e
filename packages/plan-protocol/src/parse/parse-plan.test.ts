import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Plan, PlanVersion } from "../plan/plan.ts";
import { parsePlan, type ParsePlanOptions } from "./parse-plan.ts";

function read(answer: string, options?: ParsePlanOptions): unknown {
  const parsed = parsePlan(answer, options);
  return parsed.ok
    ? parsed.value
    : parsed.issues.map((issue) => `${issue.code} ${issue.path.join(".")}`.trim());
}

const create = { kind: "CREATE_FILE", path: "src/a.ts", content: "x\n" };
const plan = (fields: object): string => JSON.stringify({ actions: [create], ...fields });
const empty = { version: 2, context_requests: [], memory_patch: {} };
const hash = "0".repeat(64);

describe("parsePlan", () => {
  it.each([
    ["an object", JSON.stringify({ actions: [create] })],
    [
      "an object with proposed changes",
      JSON.stringify({ proposed_changes: { actions: [create] } }),
    ],
    [
      "members that are null",
      plan({ summary: null, context_requests: null, memory_patch: null, proposed_changes: null }),
    ],
    [
      "fields that do not belong to the kind but are empty",
      plan({ actions: [{ ...create, patch: null, edits: [] }] }),
    ],
    ["reasoning before it", `<think>Maybe {"actions": []}?</think>${plan({})}`],
  ])("reads %s", (_name, answer) => {
    expect(read(answer)).toEqual({ ...empty, actions: [create] });
  });

  it("reads all that a plan may hold", () => {
    const requests = [
      { type: "read_file", path: "a.ts", start_line: 1, end_line: 9 },
      { type: "search", query: "x", glob: "**/*.ts" },
      { type: "logs", source: "app", last_n: 5 },
      { type: "env" },
    ];
    const actions = [
      { kind: "PATCH_FILE", path: "a", patch: "@@", base_sha256: hash },
      {
        kind: "EDIT_FILE",
        path: "b",
        base_sha256: hash,
        edits: [{ anchor: "x", before: "y", after: "" }],
      },
      { kind: "DELETE_DIR", path: "c" },
    ];
    const memory_patch = { "user.ask_budget": 1 };
    const answer = JSON.stringify({
      version: 3,
      actions,
      summary: "s",
      context_requests: requests,
      memory_patch,
    });
    expect(read(answer)).toEqual({
      version: 3,
      actions,
      summary: "s",
      context_requests: requests,
      memory_patch,
    });
  });

  it("passes over why a model does something", () => {
    expect(read(JSON.stringify([{ ...create, reason: "It is missing." }]))).toMatchObject({
      actions: [create],
    });
  });

  it("takes a list of actions in every version", () => {
    expect(read(JSON.stringify([create]), { version: 1 })).toMatchObject({
      version: 1,
      actions: [create],
    });
    expect(read(JSON.stringify([create]), { version: 2 })).toMatchObject({
      version: 2,
      actions: [create],
    });
    const edit = { kind: "EDIT_FILE", path: "a", edits: [{ before: "b", after: "c" }] };
    expect(read(JSON.stringify([edit]))).toMatchObject({ version: 3, actions: [edit] });
    expect(read("[]", { version: 1 })).toMatchObject({ actions: [] });
  });

  it.each<[string, string, ParsePlanOptions | undefined, string[]]>([
    ["prose", "Sorry, no.", undefined, ["ERR_JSON_EXTRACT"]],
    ["what cannot be read", '{"actions": [,,{{]}', undefined, ["ERR_JSON_PARSE"]],
    ["other JSON", '{"foo": 1}', undefined, ["ERR_SCHEMA_VALIDATION"]],
    ["what is cut off", plan({}).slice(0, -1), undefined, ["ERR_TRUNCATED"]],
    ["what ended at the length limit", plan({}), { finishReason: "length" }, ["ERR_TRUNCATED"]],
    [
      "what a model left out of its list",
      '{"actions": [{"kind":"CREATE_DIR","path":"a"}, ...]}',
      undefined,
      ["ERR_ELISION"],
    ],
    ["an unknown version", plan({ version: 4 }), undefined, ["ERR_UNSUPPORTED_VERSION version"]],
    [
      "another version than asked for",
      plan({ version: 3 }),
      { version: 2 },
      ["ERR_UNSUPPORTED_VERSION version"],
    ],
    [
      "a kind of a later version",
      plan({ actions: [{ kind: "EDIT_FILE", path: "a", edits: [] }] }),
      { version: 2 },
      ["ERR_SCHEMA_VALIDATION actions.0.kind"],
    ],
    [
      "a kind in lower case",
      plan({ actions: [{ ...create, kind: "create_file" }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.kind"],
    ],
    [
      "a kind named like a member of objects",
      plan({ actions: [{ ...create, kind: "constructor" }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.kind"],
    ],
    [
      "no kind",
      plan({ actions: [{ path: "a" }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.kind"],
    ],
    [
      "no path",
      plan({ actions: [{ kind: "CREATE_DIR" }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.path"],
    ],
    [
      "a path that is null",
      plan({ actions: [{ kind: "CREATE_DIR", path: null }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.path"],
    ],
    [
      "a misspelt member",
      plan({ actions: [{ kind: "CREATE_FILE", path: "a", contents: "x" }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.contents"],
    ],
    [
      "content where nothing is written",
      plan({ actions: [{ kind: "DELETE_FILE", path: "a", content: "x" }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.content"],
    ],
    [
      "content that is no text",
      plan({ actions: [{ ...create, content: ["x"] }] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions.0.content"],
    ],
    [
      "actions that are no list",
      plan({ actions: { 0: create } }),
      undefined,
      ["ERR_SCHEMA_VALIDATION actions"],
    ],
    [
      "actions in two places",
      plan({ proposed_changes: { actions: [] } }),
      undefined,
      ["ERR_SCHEMA_VALIDATION proposed_changes"],
    ],
    [
      "a misspelt list",
      JSON.stringify({ action: [create], summary: "s" }),
      undefined,
      ["ERR_SCHEMA_VALIDATION action"],
    ],
    [
      "a plan inside something else",
      JSON.stringify({ result: { actions: [create] } }),
      undefined,
      ["ERR_SCHEMA_VALIDATION"],
    ],
    [
      "two plans",
      `First:\n${plan({})}\nor better:\n${plan({ summary: "x" })}`,
      undefined,
      ["ERR_SCHEMA_VALIDATION"],
    ],
    [
      "a member twice",
      '{"actions":[{"kind":"CREATE_DIR","path":"a","pa\\u0074h":"b"}]}',
      undefined,
      ["ERR_JSON_PARSE"],
    ],
    [
      "a string that could end elsewhere",
      '{"actions":[{"kind":"CREATE_FILE","path":"a","content":"say "hi" now"}]}',
      undefined,
      ["ERR_JSON_PARSE"],
    ],
    [
      "a bracket that is missing",
      '{"actions":[{"kind":"CREATE_DIR","path":"a"],"summary":"s"}',
      undefined,
      ["ERR_JSON_PARSE"],
    ],
    [
      "a summary that is no text",
      plan({ summary: 1 }),
      undefined,
      ["ERR_SCHEMA_VALIDATION summary"],
    ],
    [
      "a request without a type",
      plan({ context_requests: [{ path: "a" }] }),
      undefined,
      ["ERR_CONTEXT_REQUEST context_requests.0.type"],
    ],
    [
      "a range that ends before it starts",
      plan({ context_requests: [{ type: "read_file", path: "a", start_line: 2, end_line: 1 }] }),
      undefined,
      ["ERR_CONTEXT_REQUEST context_requests.0.end_line"],
    ],
    [
      "a range from zero",
      plan({ context_requests: [{ type: "read_file", path: "a", start_line: 0 }] }),
      undefined,
      ["ERR_CONTEXT_REQUEST context_requests.0.start_line"],
    ],
    [
      "a search for nothing",
      plan({ context_requests: [{ type: "search", query: " " }] }),
      undefined,
      ["ERR_CONTEXT_REQUEST context_requests.0.query"],
    ],
    [
      "a memory patch that is a list",
      plan({ memory_patch: [] }),
      undefined,
      ["ERR_SCHEMA_VALIDATION memory_patch"],
    ],
    [
      "an edit without a text after it",
      plan({ actions: [{ kind: "EDIT_FILE", path: "a", edits: [{ before: "x" }] }] }),
      { version: 3 },
      ["ERR_SCHEMA_VALIDATION actions.0.edits.0.after"],
    ],
    [
      "an edit of an unknown form",
      plan({
        actions: [
          { kind: "EDIT_FILE", path: "a", edits: [{ before: "x", after: "", occurrence: 2 }] },
        ],
      }),
      { version: 3 },
      ["ERR_SCHEMA_VALIDATION actions.0.edits.0.occurrence"],
    ],
  ])("refuses %s", (_name, answer, options, codes) => {
    expect(read(answer, options)).toEqual(codes);
  });

  it("names everything that is wrong at once", () => {
    const actions = [{ kind: "RENAME_FILE" }, { kind: "CREATE_DIR", path: 1 }, "a"];
    expect(read(plan({ actions, context_requests: [{ type: "env" }, { type: "shell" }] }))).toEqual(
      [
        "ERR_SCHEMA_VALIDATION actions.0.kind",
        "ERR_SCHEMA_VALIDATION actions.0.path",
        "ERR_SCHEMA_VALIDATION actions.1.path",
        "ERR_SCHEMA_VALIDATION actions.2",
        "ERR_CONTEXT_REQUEST context_requests.1.type",
      ],
    );
  });

  it.each([
    ["a comma too many", '{"actions": [{"kind": "CREATE_DIR", "path": "a",},],}'],
    ["a comment", '{"actions": [{"kind": "CREATE_DIR", "path": "a"}] /* done */}'],
    ["single quotes", "{'actions': [{'kind': 'CREATE_DIR', 'path': 'a'}]}"],
    ["keys without quotes", '{actions: [{kind: "CREATE_DIR", path: "a"}]}'],
  ])("repairs %s", (_name, answer) => {
    const parsed = parsePlan(answer);
    expect(parsed).toMatchObject({
      ok: true,
      value: { actions: [{ kind: "CREATE_DIR", path: "a" }] },
    });
  });

  it("reads line breaks that a model left raw in a content", () => {
    const parsed = parsePlan(
      '{"actions": [{"kind": "CREATE_FILE", "path": "a", "content": "x\ny\n"}]}',
    );
    expect(parsed).toMatchObject({ ok: true, value: { actions: [{ content: "x\ny\n" }] } });
  });
});

/** But for a backspace or a form feed in a word, whose short escapes are refused as those of a backslash. */
const text = fc
  .oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[ -~\n"\\{}[\]`]{0,40}$/))
  .filter((one) => !/[\b\f][a-z]/.test(one));
const path = fc.stringMatching(/^[a-z/._-]{1,12}$/);
const base_sha256 = fc.constant(hash);
const edit = fc.record(
  { anchor: fc.string({ minLength: 1 }), before: text, after: text },
  { requiredKeys: ["before", "after"] },
);
const action = fc.oneof(
  fc.record({
    kind: fc.constantFrom("CREATE_FILE" as const, "UPDATE_FILE" as const),
    path,
    content: text,
  }),
  fc.record({
    kind: fc.constantFrom("CREATE_DIR" as const, "DELETE_FILE" as const, "DELETE_DIR" as const),
    path,
  }),
  fc.record({ kind: fc.constant("PATCH_FILE" as const), path, patch: text, base_sha256 }),
  fc.record({
    kind: fc.constant("EDIT_FILE" as const),
    path,
    base_sha256,
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  }),
);
const plans: fc.Arbitrary<Plan> = fc.record(
  {
    version: fc.constant<PlanVersion>(3),
    actions: fc.array(action, { maxLength: 4 }),
    summary: text,
    context_requests: fc.constant([]),
    memory_patch: fc.constant({}),
  },
  { requiredKeys: ["version", "actions", "context_requests", "memory_patch"] },
);

const wrappings: [string, (json: string) => string][] = [
  ["as it stands", (json) => json],
  ["in a fence", (json) => `Here is the plan:\n\n\`\`\`json\n${json}\n\`\`\`\n\nShall I go on?`],
  ["in prose", (json) => `I propose ${json} and nothing else.`],
  ["in a JSON string", (json) => JSON.stringify(json)],
];

describe("a plan written by JSON.stringify", () => {
  it.each(wrappings)("comes back %s", (_name, wrap) => {
    fc.assert(
      fc.property(plans, (plan) => {
        const parsed = parsePlan(wrap(JSON.stringify(plan, undefined, 1)));
        expect(parsed).toEqual({ ok: true, value: plan });
      }),
    );
  });

  it.each(["\b", "\f"])("says how to write %j before a letter", (character) => {
    const json = JSON.stringify({
      version: 3,
      actions: [],
      summary: `${character}a`,
      context_requests: [],
      memory_patch: {},
    });
    expect(parsePlan(json)).toMatchObject({
      ok: false,
      issues: [
        {
          code: "ERR_JSON_PARSE",
          message: expect.stringContaining(String.raw`Write \\ for a backslash, \u0008`),
        },
      ],
    });
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    const escaped = json.replace(/\\[bf]/, `\\u${code}`);
    expect(parsePlan(escaped)).toMatchObject({
      ok: true,
      value: { summary: `${character}a` },
    });
  });

  it.each(wrappings)("is not accepted when cut off %s", (_name, wrap) => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, seed) => {
        const json = JSON.stringify(plan);
        const answer = wrap(json);
        const closing = answer.startsWith('"') ? answer.length - 1 : answer.lastIndexOf("}");
        const cut = answer.slice(0, seed % (closing + 1));
        expect(parsePlan(cut).ok).toBe(false);
      }),
    );
  });

  it("is refused where two strings touch, since a backslash before a quote may be lost", () => {
    const action = { kind: "CREATE_FILE", path: "a", content: '{`\\["\\\n ' };
    const parsed = parsePlan(JSON.stringify({ actions: [action] }).replace('[\\"', '[""'));
    expect(parsed.ok ? parsed.value.actions : parsed.issues[0]?.code).toBe("ERR_JSON_PARSE");
  });

  it.each([
    '{"actions":[{"kind":"CREATE_FILE","path":"a","content":"[]  [}"}{]}',
    '{"actions":[{"kind":"CREATE_FILE","path":"a","content":"x"[]}',
  ])("is not taken for the empty list that stands in it: %s", (json) => {
    expect(parsePlan(json).ok).toBe(false);
  });

  it("is never accepted with another meaning when a character is changed, taken out or put in", () => {
    const structural = fc.constantFrom(...'{}[]:,"\\');
    fc.assert(
      fc.property(plans, fc.nat(), structural, fc.constantFrom(0, 1), (plan, seed, put, taken) => {
        const json = JSON.stringify({ version: plan.version, actions: plan.actions });
        const at = seed % json.length;
        const mutated = json.slice(0, at) + put + json.slice(at + taken);
        const parsed = parsePlan(mutated);
        fc.pre(parsed.ok);
        // Where it is still JSON it means what it says; else it must mean what was written.
        const meant = parseJson(mutated) ?? { actions: plan.actions };
        expect(parsed.ok && parsed.value.actions).toEqual(
          Array.isArray(meant) ? meant : meant.actions,
        );
      }),
    );
  });
});

function parseJson(json: string): { actions: unknown } | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
