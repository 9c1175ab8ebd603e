import { sha256Hex } from "@ccl/core";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlanIssueCode } from "../plan-issue.ts";
import type { Plan, PlanAction } from "../plan/plan.ts";
import { validatePlan, type ValidatePlanOptions } from "./validate-plan.ts";

function planOf(fields: Partial<Plan>): Plan {
  return { version: 2, actions: [], context_requests: [], memory_patch: {}, ...fields };
}

function codesOf(plan: Partial<Plan>, options: Partial<ValidatePlanOptions> = {}): string[] {
  const valid = validatePlan(planOf(plan), { mode: "apply", ...options });
  return valid.ok
    ? []
    : valid.issues.map((issue) => `${issue.code} ${issue.path.join(".")}`.trim());
}

const create = (path: string, content = "x\n"): PlanAction => ({
  kind: "CREATE_FILE",
  path,
  content,
});
const base = "one\ntwo\nthree\n";
const base_sha256 = sha256Hex(base);
const readSet = new Map([["src/a.ts", { sha256: base_sha256, text: base }]]);
const patch = createTwoFilesPatch(
  "a/src/a.ts",
  "b/src/a.ts",
  base,
  "one\n2\nthree\n",
  undefined,
  undefined,
  {
    headerOptions: FILE_HEADERS_ONLY,
  },
);
const patchAction: PlanAction = { kind: "PATCH_FILE", path: "src/a.ts", patch, base_sha256 };
const editAction: PlanAction = {
  kind: "EDIT_FILE",
  path: "src/a.ts",
  base_sha256,
  edits: [{ before: "two", after: "2" }],
};

type Row = [
  name: string,
  code: PlanIssueCode,
  at: string,
  plan: Partial<Plan>,
  options?: Partial<ValidatePlanOptions>,
];

const faults: Row[] = [
  [
    "an unknown version",
    "ERR_UNSUPPORTED_VERSION",
    "version",
    { actions: [create("a")], version: 4 as 3 },
  ],
  [
    "a kind of a later version",
    "ERR_SCHEMA_VALIDATION",
    "actions.0.kind",
    { actions: [editAction] },
    { readSet },
  ],
  [
    "actions in plan mode",
    "ERR_PLAN_NOT_EMPTY",
    "actions",
    { actions: [create("a")], summary: "s" },
    { mode: "plan" },
  ],
  [
    "no summary in plan mode",
    "ERR_SUMMARY_REQUIRED",
    "summary",
    { summary: " " },
    { mode: "plan" },
  ],
  ["a marker without a reason", "ERR_SUMMARY_REQUIRED", "summary", { summary: "NO_CHANGES: " }],
  [
    "no actions and no marker",
    "ERR_NO_CHANGES_MARKER",
    "summary",
    { summary: "Nothing to do. NO_CHANGES: x" },
  ],
  [
    "a marker beside actions",
    "ERR_NO_CHANGES_MARKER",
    "summary",
    { actions: [create("a")], summary: "NO_CHANGES: x" },
  ],
  ["a path outside", "ERR_INVALID_PATH", "actions.0.path", { actions: [create("../a")] }],
  [
    "a path that is too long",
    "ERR_PATH_TOO_LONG",
    "actions.0.path",
    { actions: [create("a/".repeat(120) + "b")] },
  ],
  ["a protected path", "PROTECTED_PATH", "actions.0.path", { actions: [create(".env")] }],
  [
    "a protected path to read",
    "PROTECTED_PATH",
    "context_requests.0.path",
    { summary: "s", context_requests: [{ type: "read_file", path: ".env" }] },
    { mode: "plan" },
  ],
  [
    "too many actions",
    "ERR_TOO_MANY_ACTIONS",
    "actions",
    { actions: [create("a"), create("b")] },
    { limits: { maxActions: 1 } },
  ],
  [
    "too many edits",
    "ERR_TOO_MANY_ACTIONS",
    "actions.0.edits",
    { version: 3, actions: [editAction] },
    { readSet, limits: { maxEdits: 0 } },
  ],
  [
    "no content",
    "ERR_CONTENT_REQUIRED",
    "actions.0.content",
    { actions: [{ kind: "CREATE_FILE", path: "a" }] },
  ],
  [
    "a large file",
    "ERR_CONTENT_TOO_LARGE",
    "actions.0",
    { actions: [create("a", "\u044f".repeat(6))] },
    { limits: { maxFileContentBytes: 11 } },
  ],
  [
    "a large plan",
    "ERR_CONTENT_TOO_LARGE",
    "actions",
    { actions: [create("a"), create("b")] },
    { limits: { maxTotalContentBytes: 3 } },
  ],
  ["a NUL", "ERR_PSEUDO_BINARY", "actions.0.content", { actions: [create("a", "x\0")] }],
  [
    "control characters",
    "ERR_PSEUDO_BINARY",
    "actions.0.content",
    { actions: [create("a", "\u0001\ufffdxxxxxxxxx")] },
  ],
  [
    "half of a surrogate pair",
    "ERR_PSEUDO_BINARY",
    "actions.0.content",
    { actions: [create("a", `${"x".repeat(99)}\ud800`)] },
  ],
  [
    "what stands for code",
    "ERR_ELISION",
    "actions.0.content",
    { actions: [create("a", "f();\n// ... existing code ...\n")] },
  ],
  [
    "what stands for code in a patch",
    "ERR_ELISION",
    "actions.0.patch.0",
    {
      actions: [
        { ...patchAction, patch: "@@ -1,1 +1,1 @@\n-one\n+# ... rest of the file unchanged\n" },
      ],
    },
    { readSet },
  ],
  [
    "what stands for code in an edit",
    "ERR_ELISION",
    "actions.0.edits.0",
    {
      version: 3,
      actions: [
        { ...editAction, edits: [{ before: "two", after: "// ... остальной код без изменений" }] },
      ],
    },
    { readSet },
  ],
  [
    "two actions on one path",
    "ERR_ACTION_CONFLICT",
    "actions.1.path",
    { actions: [create("a"), { kind: "DELETE_FILE", path: "a" }] },
  ],
  [
    "an update of what was not read",
    "ERR_UPDATE_WITHOUT_BASE",
    "actions.0.path",
    { version: 1, actions: [{ kind: "UPDATE_FILE", path: "b", content: "" }] },
    { readSet },
  ],
  [
    "an update without anything read",
    "ERR_UPDATE_WITHOUT_BASE",
    "actions.0.path",
    { version: 1, actions: [{ kind: "UPDATE_FILE", path: "b", content: "" }] },
  ],
  [
    "a patch of what was not read",
    "ERR_UPDATE_WITHOUT_BASE",
    "actions.0.path",
    { actions: [patchAction] },
  ],
  [
    "an update of an existing file in version 2",
    "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
    "actions.0.kind",
    { actions: [{ kind: "UPDATE_FILE", path: "src/a.ts", content: "" }] },
    { readSet },
  ],
  [
    "no patch",
    "ERR_PATCH_REQUIRED",
    "actions.0.patch",
    { actions: [{ kind: "PATCH_FILE", path: "src/a.ts", base_sha256 }] },
    { readSet },
  ],
  [
    "no unified patch",
    "ERR_PATCH_NOT_UNIFIED",
    "actions.0.patch",
    { actions: [{ ...patchAction, patch: "s/two/2/" }] },
    { readSet },
  ],
  [
    "a patch of another file",
    "ERR_PATCH_NOT_UNIFIED",
    "actions.0.patch",
    { actions: [{ ...patchAction, patch: patch.replaceAll("src/a", "src/b") }] },
    { readSet },
  ],
  [
    "a patch that does not fit",
    "ERR_PATCH_APPLY_FAILED",
    "actions.0.patch.0",
    { actions: [{ ...patchAction, patch: patch.replace("-two", "-zwei") }] },
    { readSet },
  ],
  [
    "no hash",
    "ERR_BASE_SHA256_INVALID",
    "actions.0.base_sha256",
    { actions: [{ kind: "PATCH_FILE", path: "src/a.ts", patch }] },
    { readSet },
  ],
  [
    "a hash in upper case",
    "ERR_BASE_SHA256_INVALID",
    "actions.0.base_sha256",
    { actions: [{ ...patchAction, base_sha256: base_sha256.toUpperCase() }] },
    { readSet },
  ],
  [
    "the hash of another file",
    "ERR_BASE_MISMATCH",
    "actions.0.base_sha256",
    { actions: [{ ...patchAction, base_sha256: "0".repeat(64) }] },
    { readSet },
  ],
  [
    "no edits",
    "ERR_EDIT_NO_EDITS",
    "actions.0.edits",
    { version: 3, actions: [{ kind: "EDIT_FILE", path: "src/a.ts", base_sha256 }] },
    { readSet },
  ],
  [
    "an edit that does not fit",
    "ERR_EDIT_BEFORE_NOT_FOUND",
    "actions.0.edits.0",
    { version: 3, actions: [{ ...editAction, edits: [{ before: "zwei", after: "" }] }] },
    { readSet },
  ],
  [
    "an edit without its anchor",
    "ERR_EDIT_ANCHOR_NOT_FOUND",
    "actions.0.edits.0",
    {
      version: 3,
      actions: [{ ...editAction, edits: [{ anchor: "zwei", before: "one", after: "" }] }],
    },
    { readSet },
  ],
  [
    "an edit in two places",
    "ERR_EDIT_AMBIGUOUS",
    "actions.0.edits.0",
    { version: 3, actions: [{ ...editAction, edits: [{ before: "e\n", after: "" }] }] },
    { readSet },
  ],
  [
    "an edit that changes nothing",
    "ERR_EDIT_APPLY_FAILED",
    "actions.0.edits.0",
    { version: 3, actions: [{ ...editAction, edits: [{ before: "two", after: "two" }] }] },
    { readSet },
  ],
];

describe("validatePlan", () => {
  it.each<[string, unknown, string[]]>([
    ["nothing", null, [""]],
    ["a list of actions", [editAction], [""]],
    ["no context_requests", { version: 3, actions: [editAction] }, ["context_requests"]],
    [
      "no action in its list",
      { actions: [null], context_requests: [3] },
      ["actions.0", "context_requests.0"],
    ],
    [
      "an action without a path",
      { actions: [{ kind: "DELETE_FILE" }], context_requests: [] },
      ["actions.0.path"],
    ],
    [
      "numbers for texts",
      { actions: [{ ...create("a"), content: 1 }], context_requests: [] },
      ["actions.0.content"],
    ],
    [
      "edits that are none",
      { actions: [{ ...editAction, edits: [{ before: "x" }] }], context_requests: [] },
      ["actions.0.edits.0.after"],
    ],
    [
      "a request without a path",
      { actions: [], context_requests: [{ type: "read_file" }] },
      ["context_requests.0", "context_requests.0.path", "context_requests.0.type"],
    ],
  ])("gives issues for %s from a program, and throws nothing", (_name, plan, at) => {
    const valid = validatePlan(plan as Plan, { mode: "apply" });
    expect(valid.ok ? [] : valid.issues.map(({ path }) => path.join("."))).toEqual(at);
  });

  it.each(faults)("refuses %s", (_name, code, at, plan, options) => {
    expect(codesOf(plan, options)).toEqual([`${code} ${at}`]);
  });

  it("refuses a plan that does and says nothing", () => {
    expect(codesOf({})).toEqual([
      "ERR_APPLY_EMPTY_ACTIONS actions",
      "ERR_SUMMARY_REQUIRED summary",
    ]);
  });

  it("refuses what an allow list does not allow", () => {
    const allowList = {
      allowed_extensions: [".ts"],
      allowed_no_extension: [],
      forbidden_paths: [],
      forbidden_prefixes: [],
    };
    expect(codesOf({ actions: [create("a.py")] }, { policy: { allowList } })).toEqual([
      "FORBIDDEN_PATH actions.0.path",
    ]);
  });

  it.each<[string, Partial<Plan>, Partial<ValidatePlanOptions>]>([
    ["a diagnosis in plan mode", { summary: "Steps: ..." }, { mode: "plan" }],
    ["a marker with a reason", { summary: "NO_CHANGES: all is well" }, {}],
    ["an empty file", { actions: [create("a", "")] }, {}],
    ["Russian", { actions: [create("a", "Привет, мир\n")] }, {}],
    ["Chinese", { actions: [create("a", "你好，世界\n")] }, {}],
    ["a byte order mark and a form feed", { actions: [create("a", "\ufeffx\f\r\n")] }, {}],
    ["some escape codes", { actions: [create("a", "\u001b[31mred\u001b[0m and plain")] }, {}],
    ["a patch", { actions: [patchAction] }, { readSet }],
    ["an edit", { version: 3, actions: [editAction] }, { readSet }],
    [
      "an update",
      { version: 1, actions: [{ kind: "UPDATE_FILE", path: "src/a.ts", content: "" }] },
      { readSet },
    ],
    [
      "a folder with files in it",
      { actions: [{ kind: "CREATE_DIR", path: "a/" }, create("a/b"), create("a/c/d")] },
      {},
    ],
    [
      "a deleted folder with its files",
      {
        actions: [
          { kind: "DELETE_DIR", path: "a" },
          { kind: "DELETE_FILE", path: "a/b" },
        ],
      },
      {},
    ],
  ])("accepts %s", (_name, plan, options) => {
    expect(codesOf(plan, options)).toEqual([]);
  });

  it.each<[string, PlanAction[]]>([
    ["one path by two cases", [create("src/a.ts"), create("src/A.ts")]],
    ["one path by two Unicode forms", [create("caf\u00e9"), create("cafe\u0301")]],
    ["one folder by two cases", [create("Src/a.ts"), create("src/b.ts")]],
    ["a file in a file", [create("a"), create("a/b")]],
    ["a file in a file, the other way round", [create("a/b"), create("a")]],
    ["a file in a file of another case", [create("a"), create("A/b")]],
    ["a folder where a file is", [create("a"), { kind: "CREATE_DIR", path: "a" }]],
    ["a file in a deleted folder", [{ kind: "DELETE_DIR", path: "a" }, create("a/b/c")]],
    ["a file in a deleted file", [{ kind: "DELETE_FILE", path: "a" }, create("a/b")]],
    ["a file twice", [create("a"), create("a")]],
  ])("refuses %s", (_name, actions) => {
    const codes = codesOf({ actions });
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.every((code) => code.startsWith("ERR_ACTION_CONFLICT"))).toBe(true);
  });

  it("lets a comment stay that the file already has", () => {
    const text = "a\n// ... existing code ...\nb\n";
    const set = new Map([["a", { sha256: sha256Hex(text), text }]]);
    const action: PlanAction = { kind: "UPDATE_FILE", path: "a", content: text.replace("b", "c") };
    expect(codesOf({ version: 1, actions: [action] }, { readSet: set })).toEqual([]);
    const more: PlanAction = {
      ...action,
      content: "a\n// ... rest of the code unchanged\n",
    };
    expect(codesOf({ version: 1, actions: [more] }, { readSet: set })).toEqual([
      "ERR_ELISION actions.0.content",
    ]);
  });

  it("names every fault at once, by its place in the plan as given", () => {
    const actions = [
      create("b/../a"),
      create("ok"),
      { kind: "CREATE_FILE" as const, path: ".env" },
      create("OK"),
    ];
    expect(codesOf({ actions, summary: "NO_CHANGES: x" })).toEqual([
      "ERR_NO_CHANGES_MARKER summary",
      "ERR_INVALID_PATH actions.0.path",
      "PROTECTED_PATH actions.2.path",
      "ERR_CONTENT_REQUIRED actions.2.content",
      "ERR_ACTION_CONFLICT actions.3.path",
    ]);
  });

  it("orders actions as they are applied and writes a summary where there is none", () => {
    const actions: PlanAction[] = [
      { kind: "DELETE_DIR", path: "old" },
      { kind: "DELETE_DIR", path: "old/deep/er" },
      { kind: "DELETE_FILE", path: "old/x" },
      patchAction,
      create("b"),
      create("B2"),
      { kind: "CREATE_DIR", path: "new/sub" },
      { kind: "CREATE_DIR", path: "new/" },
    ];
    const valid = validatePlan(planOf({ actions }), { mode: "apply", readSet });
    expect(valid.ok && valid.value.actions.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "CREATE_DIR new",
      "CREATE_DIR new/sub",
      "CREATE_FILE B2",
      "CREATE_FILE b",
      "PATCH_FILE src/a.ts",
      "DELETE_FILE old/x",
      "DELETE_DIR old/deep/er",
      "DELETE_DIR old",
    ]);
    expect(valid.ok && valid.value.summary).toMatchInlineSnapshot(
      `"create folder new/sub, new/; create b, B2; patch src/a.ts; delete old/x; delete folder old, old/deep/er"`,
    );
  });

  it("keeps every action of what it accepts, each on a place of its own and after the folders that it needs", () => {
    const name = fc.constantFrom("a", "A", "b", "c.ts", "\u00e9", "e\u0301", "..", "nul", ".env");
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
    const kind = fc.constantFrom("CREATE_FILE", "CREATE_DIR", "DELETE_FILE", "DELETE_DIR");
    const actions = fc.array(fc.record({ kind, path, content: fc.constant("x") }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(actions, (actions) => {
        const valid = validatePlan(planOf({ actions }), { mode: "apply" });
        fc.pre(valid.ok);
        const placed = valid.ok ? valid.value.actions : [];
        const pathsOf = (list: readonly { path: string }[]): string[] =>
          list.map((action) => action.path).toSorted();
        expect(pathsOf(placed)).toEqual(pathsOf(actions));
        expect(
          new Set(placed.map((action) => action.path.normalize("NFC").toLowerCase())).size,
        ).toBe(actions.length);
        for (const [index, action] of placed.entries()) {
          const above = placed.findIndex((other) => action.path.startsWith(`${other.path}/`));
          const isInOrder = above < 0 || above < index === (placed[above]?.kind === "CREATE_DIR");
          expect(isInOrder).toBe(true);
        }
      }),
    );
  });
});
