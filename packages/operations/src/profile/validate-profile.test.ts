import { describe, expect, it } from "vitest";
import { z } from "zod";

import { createOperationRegistry } from "./create-operation-registry.ts";
import {
  done,
  profileOf,
  registryOf,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";
import type { OperationProfile } from "./operation-profile.ts";
import { validateProfile } from "./validate-profile.ts";

const after = ["after_main_llm"] as ["after_main_llm"];

function issuesOf(
  operations: readonly ScenarioOperation[],
  rest: Partial<OperationProfile> = {},
): string[] {
  const checked = validateProfile(
    { ...profileOf(operations), ...rest },
    registryOf(operations.filter(({ kind }) => kind !== "unknown")),
  );
  const issues = checked.ok ? checked.value.warnings : checked.issues;
  return issues.map(({ code, path, severity }) =>
    [code, path.join("."), severity].filter(Boolean).join(" "),
  );
}

describe("validateProfile", () => {
  it.each<[string, ScenarioOperation[], string[]]>([
    [
      "an unknown operation",
      [{ id: "a", kind: "unknown" }],
      ["unknown_operation operations.0.operationId"],
    ],
    [
      "a self-dependency",
      [{ id: "a", dependsOn: ["a"] }],
      ["self_dependency operations.0.config.dependsOn.0"],
    ],
    [
      "an unknown dependency",
      [{ id: "a", dependsOn: ["b"] }],
      ["unknown_dependency operations.0.config.dependsOn.0"],
    ],
    [
      "a dependency over the main call",
      [{ id: "a" }, { id: "b", hooks: after, dependsOn: ["a"] }],
      ["cross_hook_dependency operations.1.config.dependsOn.0"],
    ],
    [
      "a dependency that is missing in one of two hooks",
      [{ id: "a" }, { id: "b", hooks: ["before_main_llm", "after_main_llm"], dependsOn: ["a"] }],
      ["cross_hook_dependency operations.1.config.dependsOn.0"],
    ],
    [
      "two writers of one tag",
      [
        { id: "a", writesTag: "x" },
        { id: "b", params: { writeArtifact: { tag: "x" } } },
      ],
      ["tag_collision operations.1.config.params.writeArtifact.tag"],
    ],
    [
      "a bad tag",
      [{ id: "a", params: { writeArtifact: { tag: "a b" } } }],
      ["invalid_tag operations.0.config.params.writeArtifact.tag"],
    ],
    [
      "a tag that is no key of a plain object",
      [{ id: "a", params: { writeArtifact: { tag: "__proto__" } } }],
      ["invalid_tag operations.0.config.params.writeArtifact.tag"],
    ],
    [
      "a model call that writes nowhere",
      [{ id: "a", kind: "llm", does: done() }],
      ["missing_tag operations.0.config.params.writeArtifact"],
    ],
    [
      "history of what has none",
      [{ id: "a", params: { writeArtifact: { tag: "x", persisted: false, retention: {} } } }],
      ["run_only_retention operations.0.config.params.writeArtifact.retention"],
    ],
    [
      "a place in the prompt of what stands in none",
      [
        {
          id: "a",
          params: {
            writeArtifact: { tag: "x", usage: "ui_only", inclusion: { mode: "append_system" } },
          },
        },
      ],
      ["unused_inclusion operations.0.config.params.writeArtifact.inclusion"],
    ],
    [
      "a provider key",
      [{ id: "a", params: { text: `use sk-proj-${"Ab3".repeat(16)}` } }],
      ["secret_in_profile operations.0.config"],
    ],
    [
      "a field that is named like a secret",
      [{ id: "a", params: { auth: { apiKey: "swordfish" } } }],
      ["secret_in_profile operations.0.config"],
    ],
    [
      "an unreachable dependency, as a warning",
      [
        { id: "a", enabled: false },
        { id: "b", dependsOn: ["a"], triggers: ["generate"] },
      ],
      ["dependency_unreachable operations.1.config.dependsOn.0 warning"],
    ],
    [
      "an unreachable dependency of a required one",
      [
        { id: "a", triggers: ["regenerate"] },
        { id: "b", dependsOn: ["a"], required: true },
      ],
      ["dependency_unreachable operations.1.config.dependsOn.0 error"],
    ],
    [
      "one that is unreachable further off",
      [
        { id: "a", enabled: false },
        { id: "b", dependsOn: ["a"], triggers: ["generate"] },
        { id: "c", dependsOn: ["b"], triggers: ["generate"] },
      ],
      [
        "dependency_unreachable operations.1.config.dependsOn.0 warning",
        "dependency_unreachable operations.2.config.dependsOn.0 warning",
      ],
    ],
    [
      "nothing in a sound profile",
      [
        { id: "a", writesTag: "a" },
        { id: "b", hooks: ["before_main_llm", "after_main_llm"], writesTag: "b" },
        { id: "c", dependsOn: ["a", "b"] },
      ],
      [],
    ],
  ])("finds %s", (_name, operations, expected) => {
    expect(issuesOf(operations)).toEqual(expected);
  });

  it("gives the path of every cycle, and all issues at once", () => {
    const operations = [
      { id: "a", dependsOn: ["c"] },
      { id: "b", dependsOn: ["a"] },
      { id: "c", dependsOn: ["b"] },
      { id: "d", dependsOn: ["e", "x"] },
      { id: "e", dependsOn: ["d"] },
    ];
    const checked = validateProfile(profileOf(operations), registryOf(operations));
    const messages = checked.ok
      ? []
      : checked.issues.map(({ code, message }) => `${code}: ${message}`);
    expect(messages).toEqual([
      'unknown_dependency: "d" depends on "x", which is not in the profile.',
      "dependency_cycle: The operations wait for each other in a circle: a -> c -> b -> a.",
      "dependency_cycle: The operations wait for each other in a circle: d -> e -> d.",
    ]);
  });

  it.each<[string, unknown]>([
    ["operations.0.config.order", { order: Number.NaN }],
    ["operations.0.config.order", { order: "1" }],
    ["operations.0.config.hooks", { hooks: [] }],
    ["operations.0.config.hooks.0", { hooks: ["during"] }],
    ["operations.0.config", { dependOn: ["x"] }],
    ["operations.0.config.when.0.ref", { when: [{ ref: "chat.x" }] }],
    ["operations.0.config.params.at", { params: { at: new Date(0) } }],
  ])("refuses a config of another shape at %s", (path, config) => {
    const profile = profileOf([{ id: "a" }]);
    Object.assign(profile.operations[0]?.config ?? {}, config);
    const checked = validateProfile(profile, registryOf([{ id: "a" }]));
    expect(checked.ok ? [] : checked.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  it("checks parameters against the schema of the definition", () => {
    const registry = createOperationRegistry();
    const paramsSchema = z.toJSONSchema(z.strictObject({ topK: z.int() }));
    registry.register({ operationId: "a", kind: "mine", name: "A", paramsSchema }, async () => ({
      status: "done",
    }));
    const issues = (params: Record<string, unknown>): string[] => {
      const checked = validateProfile(profileOf([{ id: "a", params }]), registry);
      return checked.ok ? [] : checked.issues.map(({ code, path }) => `${code} ${path.join(".")}`);
    };
    expect(issues({ topK: 3 })).toEqual([]);
    expect(issues({ topK: "3" })).toEqual(["invalid_params operations.0.config.params.topK"]);
  });

  it("checks parameters of the kinds with a handler of ours, and says where a schema is none", () => {
    const registry = createOperationRegistry();
    registry.register({ operationId: "a", kind: "template", name: "A" });
    registry.register({ operationId: "b", kind: "template", name: "B" }, async () => ({
      status: "done",
    }));
    registry.register({
      operationId: "c",
      kind: "mine",
      name: "C",
      paramsSchema: { type: "nothing" },
    });
    const issues = (id: string): string[] => {
      const checked = validateProfile(profileOf([{ id, params: { temlate: "x" } }]), registry);
      return checked.ok ? [] : checked.issues.map(({ code, path }) => `${code} ${path.join(".")}`);
    };
    expect(issues("a")).toContain("invalid_params operations.0.config.params.template");
    expect(issues("b")).toEqual([]);
    expect(issues("c")).toEqual(["invalid_params operations.0.config.params"]);
  });

  it("refuses a guard's condition whose name no `when` can have", () => {
    const conditions = { "in:combat": { ref: "art.x" }, "is_day-2": { ref: "art.x" } };
    const writeArtifact = { tag: "g", persisted: false, usage: "internal", semantics: "state" };
    expect(issuesOf([{ id: "a", kind: "guard", params: { conditions, writeArtifact } }])).toEqual([
      "invalid_params operations.0.config.params.conditions",
      "invalid_params operations.0.config.params.conditions.in:combat",
    ]);
  });

  it("parses templates where it is given a renderer", () => {
    const writeArtifact = {
      tag: "a",
      persisted: true,
      usage: "prompt_only",
      semantics: "state",
      inclusion: { mode: "append_system", template: "{{ value | upcas }}" },
    };
    const operations: ScenarioOperation[] = [
      { id: "a", kind: "template", params: { template: "{% if %}", writeArtifact } },
      { id: "b", kind: "template", does: done(), params: { template: "{% theirs %}" } },
    ];
    const [profile, registry] = [profileOf(operations), registryOf(operations)];
    const checked = validateProfile(profile, registry);
    expect(
      checked.ok
        ? []
        : checked.issues.map(({ code, path }) => `${code} ${path.slice(3).join(".")}`),
    ).toEqual([
      "invalid_template params.writeArtifact.inclusion.template",
      "invalid_template params.template",
    ]);
  });

  it("warns of a condition on what an operation of the hook writes, unless that is waited for", () => {
    const both: ScenarioOperation["hooks"] = ["before_main_llm", "after_main_llm"];
    const when = [{ ref: "art.fight.isOn" }];
    const writer: ScenarioOperation = { id: "w", writesTag: "fight" };
    expect(
      issuesOf([
        writer,
        { id: "a", when },
        { id: "b", when, hooks: both },
        { id: "c", when, hooks: after },
      ]),
    ).toEqual([
      "unawaited_condition operations.1.config.when.0.ref warning",
      "unawaited_condition operations.2.config.when.0.ref warning",
    ]);
    const chain: ScenarioOperation[] = [
      { id: "m", dependsOn: ["w"] },
      { id: "a", when, dependsOn: ["m"] },
    ];
    expect(
      issuesOf([{ ...writer, when }, ...chain, { id: "o", when: [{ ref: "art.other" }] }]),
    ).toEqual([]);
  });

  it("gives the first of very many faults", () => {
    const faults = (profile: unknown, operations: ScenarioOperation[] = []): number => {
      const checked = validateProfile(JSON.parse(JSON.stringify(profile)), registryOf(operations));
      return checked.ok ? 0 : checked.issues.length;
    };
    expect(faults({ ...profileOf([]), operations: Array.from({ length: 150_000 }, () => 0) })).toBe(
      100,
    );
    const ids = Array.from({ length: 500 }, (_, at) => `op${at}`);
    const clique = ids.map((id) => ({ id, dependsOn: ids.filter((other) => other !== id) }));
    expect(faults(profileOf(clique), clique)).toBe(100);
    const many = Array.from({ length: 150_000 }, (_, at) => `gone${at}`);
    expect(faults(profileOf([{ id: "a", dependsOn: many }]), [{ id: "a" }])).toBe(100);
  });

  it("names the beginning of a long circle", () => {
    const circle = Array.from({ length: 1_000 }, (_, at) => ({
      id: `op${at}`,
      dependsOn: [`op${(at + 1) % 1_000}`],
    }));
    const checked = validateProfile(profileOf(circle), registryOf(circle));
    expect(checked.ok ? "" : checked.issues[0]?.message).toMatch(
      /: op0 -> op1 -> .* -> op48 -> 951 more -> op0\.$/,
    );
  });

  it("gives a frozen copy that later changes do not reach again", () => {
    const operations = [{ id: "a", params: { deep: { list: [1] } } }];
    const profile = profileOf(operations);
    const registry = registryOf(operations);
    const checked = validateProfile(profile, registry);
    if (!checked.ok) throw new Error("It is sound.");
    profile.operations.length = 0;
    expect(checked.value.operations).toHaveLength(1);
    expect(() =>
      Object.assign(checked.value.operations[0]?.config.params["deep"] ?? {}, { list: 2 }),
    ).toThrow(TypeError);
    expect(JSON.parse(JSON.stringify(checked.value))).not.toHaveProperty("warnings");
  });

  it("takes 5,000 operations in a chain", () => {
    const operations = Array.from({ length: 5_000 }, (_, at): ScenarioOperation => ({
      id: `op${at}`,
      dependsOn: at < 4_999 ? [`op${at + 1}`] : undefined,
    }));
    expect(issuesOf(operations)).toEqual([]);
  });
});

describe("createOperationRegistry", () => {
  it("refuses what it can't use", () => {
    const registry = registryOf(["b", "ä", "Z"].map((id) => ({ id })));
    const register = (fields: Record<string, unknown>) => () =>
      registry.register({ operationId: "x", kind: "compute", name: "X", ...fields }, async () => ({
        status: "done",
      }));
    expect(register({ operationId: "b" })).toThrow(
      expect.objectContaining({ code: "duplicate_operation" }),
    );
    expect(register({ operationId: "" })).toThrow(
      expect.objectContaining({ code: "invalid_definition" }),
    );
    expect(register({ writesTag: "a.b" })).toThrow(
      expect.objectContaining({ code: "invalid_definition" }),
    );
    expect(() =>
      Reflect.apply(registry.register, registry, [{ operationId: "x", kind: "x", name: "X" }, "x"]),
    ).toThrow(expect.objectContaining({ code: "invalid_definition" }));
  });
});
