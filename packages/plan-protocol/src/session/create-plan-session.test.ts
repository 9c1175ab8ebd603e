import { LanguageModelError, sha256Hex } from "@ccl/core";
import type { ScriptedResponse } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { PlanProtocolError } from "../plan-protocol-error.ts";
import { createPlanSession } from "./create-plan-session.ts";
import type { PlanSessionOptions } from "./plan-session.ts";
import {
  askForPort,
  goodChange,
  goodPatch,
  goodPlan,
  openStage,
  portFile,
  proposedOf,
  type Stage,
} from "./__fixtures__/open-stage.ts";

type Answer = ScriptedResponse | { actions: unknown[] };

const wrongPatch = { ...goodPatch, patch: goodPatch.patch.replace("port = 80;", "port = 81;") };
const change = (action: object): { actions: unknown[]; summary: string } => ({
  actions: [action],
  summary: "Done.",
});
const whole = { kind: "UPDATE_FILE", path: "src/port.ts", content: portFile.replace("80", "8080") };
const edit = { kind: "EDIT_FILE", path: "src/port.ts", base_sha256: sha256Hex(portFile) };

/** Plans with the file read, then applies with these answers. */
async function applyWith(
  answers: Answer[],
  options: Partial<PlanSessionOptions> = {},
): Promise<Stage & { codes: string[]; isOk: boolean; calls: number }> {
  const stage = openStage([askForPort, goodPlan, ...answers], options);
  expect((await stage.session.plan("Use port 8080.")).ok).toBe(true);
  const before = stage.model.requests.length;
  stage.events.length = 0;
  const proposal = await stage.session.apply();
  const codes = proposal.ok ? [] : proposal.issues.map(({ code }) => code);
  return { ...stage, codes, isOk: proposal.ok, calls: stage.model.requests.length - before };
}

describe("from a goal to changed files", () => {
  it("plans with context, applies the saved plan with the same context, and commits", async () => {
    const { session, model, workspace, eventTypes, prompt } = openStage([
      askForPort,
      goodPlan,
      goodChange,
    ]);
    const planned = await session.propose("Fix the port: use 8080.");
    expect(planned).toMatchObject({
      ok: true,
      value: { mode: "plan", changed: [], isNoChange: false },
    });
    expect(session.savedPlan?.summary).toBe(goodPlan.summary);
    expect(workspace.files.get("src/port.ts")).toBe(portFile);

    const proposal = await session.propose("ok");
    expect(proposedOf(proposal)).toMatchObject({
      mode: "apply",
      preview: { changes: [{ path: "src/port.ts" }] },
    });
    expect(prompt(2)).toContain(`FILE[src/port.ts] sha256=${sha256Hex(portFile)}`);
    expect(prompt(2)).toContain(goodPlan.summary);
    expect(workspace.files.get("src/port.ts")).toBe(portFile);

    expect(await session.commit(proposedOf(proposal))).toMatchObject({
      ok: true,
      value: { transactionId: "transaction-1" },
    });
    expect(workspace.files.get("src/port.ts")).toBe(portFile.replace("80", "8080"));
    expect(session.savedPlan).toBeUndefined();
    expect(model.requests).toHaveLength(3);
    expect(eventTypes()).toEqual([
      "PROPOSAL_STARTED",
      "LLM_REQUEST_SENT",
      "LLM_RESPONSE_OK",
      "CONTEXT_CACHE_MISS",
      "LLM_REQUEST_SENT",
      "LLM_RESPONSE_OK",
      "PROPOSAL_ENDED",
      "PROPOSAL_STARTED",
      "CONTEXT_CACHE_MISS",
      "LLM_REQUEST_SENT",
      "LLM_RESPONSE_OK",
      "PREVIEW_READY",
      "PROPOSAL_ENDED",
      "APPLY_SUCCESS",
    ]);
  });

  it("takes what the user adds to a saved plan, and keeps the goal", async () => {
    const { session, prompt } = openStage([
      goodPlan,
      { actions: [], summary: "NO_CHANGES: It is 8080." },
    ]);
    await session.plan("Use port 8080.");
    const proposal = await session.propose("apply: but leave the host");
    expect(proposal).toMatchObject({ ok: true, value: { mode: "apply", isNoChange: true } });
    expect(prompt(1)).toContain(
      "GOAL\nUse port 8080.\n\nTo the saved plan the user says: but leave the host\n",
    );
    expect(session.savedPlan).toBeUndefined();
  });

  it.each([
    ["create a README", undefined, "APPLY"],
    ["apply: a README", undefined, "APPLY"],
    ["plan: create a README", undefined, "PLAN"],
    ["fix the README", undefined, "PLAN"],
    ["README, please", undefined, "PLAN"],
    ["README, please", "plan_first", "PLAN"],
    ["README, please", "patch_first", "APPLY"],
  ] as const)("asks for %j with output_format %s in mode %s", async (text, output_format, mode) => {
    const memory = { user: output_format === undefined ? {} : { output_format }, project: {} };
    const answer =
      mode === "PLAN"
        ? goodPlan
        : change({ kind: "CREATE_FILE", path: "README.md", content: "# Port\n" });
    const { session, prompt } = openStage([answer], { memory: { read: async () => memory } });
    expect((await session.propose(text)).ok).toBe(true);
    expect(prompt(0)).toContain(`MODE: ${mode}\n`);
  });

  it("goes back to a plan, and says so, where a file has changed meanwhile", async () => {
    const { session, workspace, prompt, events } = openStage([
      askForPort,
      goodPlan,
      { ...goodPlan, summary: "Anew." },
    ]);
    await session.plan("Use port 8080.");
    workspace.files.set("src/port.ts", "export const port = 90;\n");
    const proposal = await session.apply("ok");
    expect(proposal).toMatchObject({ ok: true, value: { mode: "plan", changed: ["src/port.ts"] } });
    expect(prompt(2)).toContain(
      'CHANGED SINCE THE SAVED PLAN; CONTEXT shows these as they are now, so plan anew:\n- "src/port.ts"',
    );
    expect(prompt(2)).toContain("port = 90");
    expect(prompt(2)).not.toContain("port = 80");
    expect(prompt(2)).toContain("MODE: PLAN");
    expect(session.savedPlan?.summary).toBe("Anew.");
    expect(events.at(-1)).toMatchObject({ type: "PROPOSAL_ENDED", mode: "plan" });
  });

  it("starts anew with every plan: nothing of the cycle before is shown or cached", async () => {
    const { session, prompt, workspace } = openStage([askForPort, goodPlan, goodPlan]);
    await session.plan("Use port 8080.");
    await session.plan("Use port 9090.");
    expect(prompt(2)).not.toContain("FILE[");
    expect(workspace.reads).toHaveLength(1);
  });

  it("reports what a commit rolled back, and keeps the plan for another try", async () => {
    const { session, workspace, events } = openStage([
      goodPlan,
      change({ kind: "CREATE_FILE", path: "a.md", content: "a\n" }),
    ]);
    await session.plan("Write a.md.");
    const proposal = await session.apply();
    const issue = {
      code: "AUTO_CHECK_FAILED_ROLLED_BACK",
      path: ["checks", 0],
      message: "npm test failed.",
    };
    workspace.refusals.push([issue]);
    expect(await session.commit(proposedOf(proposal))).toEqual({ ok: false, issues: [issue] });
    expect(events.at(-1)).toMatchObject({
      type: "APPLY_ROLLBACK",
      code: issue.code,
      reason: issue.message,
    });
    expect(session.savedPlan?.summary).toBe(goodPlan.summary);
    expect(await session.commit(proposedOf(proposal))).toMatchObject({ ok: true });
  });

  it("checks plans without a workspace, and reads nothing", async () => {
    const model = openStage([
      askForPort,
      change({ kind: "CREATE_FILE", path: "a.md", content: "a\n" }),
    ]).model;
    const session = createPlanSession({ model });
    const proposal = await session.apply("Write a.md.");
    expect(proposal).toMatchObject({ ok: true, value: { plan: { actions: [{ path: "a.md" }] } } });
    expect(String(model.requests[1]?.messages[1]?.content)).toContain(
      "Not read: nothing here can answer this.",
    );
    await expect(session.commit(proposedOf(proposal))).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

describe("an answer that cannot be used", () => {
  const truncated = { text: JSON.stringify(goodChange), finishReason: "length" as const };
  const form = "not JSON";
  const protectedFile = change({ kind: "CREATE_FILE", path: ".env", content: "A=1\n" });
  const existing = change({ kind: "CREATE_FILE", path: "src/port.ts", content: "1\n" });

  it.each<{
    name: string;
    answers: Answer[];
    calls: number;
    codes?: string[];
    options?: Partial<PlanSessionOptions>;
  }>([
    { name: "is repaired once for its form", answers: [form, goodChange], calls: 2 },
    {
      name: "is repaired once for its content",
      answers: [change(wrongPatch), goodChange],
      calls: 2,
    },
    {
      name: "is repaired once for each",
      answers: [form, change(wrongPatch), goodChange],
      calls: 3,
    },
    {
      name: "fails after a second fault of form",
      answers: [form, form],
      calls: 2,
      codes: ["ERR_JSON_EXTRACT"],
    },
    {
      name: "is never taken where it was cut off",
      answers: [truncated, truncated],
      calls: 2,
      codes: ["ERR_TRUNCATED"],
    },
    { name: "is asked for whole after a cut", answers: [truncated, goodChange], calls: 2 },
    {
      name: "stops at once at a protected path",
      answers: [protectedFile],
      calls: 1,
      codes: ["PROTECTED_PATH"],
    },
    {
      name: "stops at a protected path beside other faults",
      answers: [{ actions: [wrongPatch, ...protectedFile.actions], summary: "x" }],
      calls: 1,
      codes: ["ERR_PATCH_APPLY_FAILED", "PROTECTED_PATH"],
    },
    {
      name: "descends from patches to whole files",
      answers: [change(wrongPatch), change(wrongPatch), change(whole)],
      calls: 3,
    },
    {
      name: "descends from edits to patches to whole files",
      options: { version: 3 },
      answers: [
        change({ ...edit, edits: [{ before: "port = 81;", after: "x" }] }),
        change({ ...edit, edits: [{ before: "port = 82;", after: "x" }] }),
        change(wrongPatch),
        change(whole),
      ],
      calls: 4,
    },
    {
      name: "fails where no version is below",
      options: { version: 3 },
      answers: [
        change({ ...edit, edits: [{ before: "export", after: "x" }] }),
        change({ ...edit, edits: [{ before: "export", after: "x" }] }),
        change(wrongPatch),
        change({ ...whole, content: "// ... existing code ...\n" }),
      ],
      calls: 4,
      codes: ["ERR_EDIT_AMBIGUOUS", "ERR_ELISION"],
    },
    {
      name: "does not descend where a version cannot help",
      answers: [
        change({ kind: "CREATE_FILE", path: "../x", content: "1" }),
        change({ kind: "CREATE_FILE", path: "/x", content: "1" }),
      ],
      calls: 2,
      codes: ["ERR_INVALID_PATH"],
    },
    {
      name: "is repaired where it would overwrite a file",
      answers: [existing, goodChange],
      calls: 2,
    },
    {
      name: "goes back with the file read again where its hash is of another one",
      answers: [change({ ...goodPatch, base_sha256: "0".repeat(64) }), goodChange],
      calls: 2,
    },
    {
      name: "fails without actions or the marker",
      answers: [
        { actions: [], summary: "Nothing." },
        { actions: [], summary: "Nothing." },
      ],
      calls: 2,
      codes: ["ERR_NO_CHANGES_MARKER"],
    },
    {
      name: "is of the version asked for",
      answers: ['{"version":1,"actions":[]}', goodChange],
      calls: 2,
    },
  ])("$name", async ({ answers, calls, codes = [], options = {} }) => {
    const run = await applyWith(answers, options);
    expect({ calls: run.calls, codes: run.codes }).toEqual({ calls, codes });
    expect(run.isOk).toBe(codes.length === 0);
    expect(run.workspace.files.get("src/port.ts")).toBe(portFile);
  });

  it("is sent back with every fault named by place and code", async () => {
    const run = await applyWith([change(wrongPatch), goodChange]);
    const messages = run.model.requests.at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(messages[2]?.content).toBe(JSON.stringify(change(wrongPatch)));
    expect(messages[3]?.content).toMatch(
      /^Your answer cannot be used:\n- \/actions\/0\/patch\/0 \[ERR_PATCH_APPLY_FAILED\] Hunk 1 of 1 for "src\/port.ts" /,
    );
    expect(run.eventTypes()).toContain("LLM_RESPONSE_REPAIR");
    expect(run.events.find(({ type }) => type === "VALIDATION_FAILED")).toMatchObject({
      code: "ERR_PATCH_APPLY_FAILED",
    });
  });

  it("is asked for whole after a cut, never to be joined", async () => {
    const run = await applyWith([{ text: '{"actions":[', finishReason: "length" }, goodChange]);
    expect(run.lastMessage(-1)).toBe(
      "Your answer was cut off before its end. Send the whole JSON value again, shorter.",
    );
  });

  it("says why the version is lower, and shows files whole", async () => {
    const ranged = {
      ...askForPort,
      context_requests: [{ type: "read_file", path: "src/port.ts", start_line: 2, end_line: 2 }],
    };
    const stage = openStage([
      ranged,
      goodPlan,
      change(wrongPatch),
      change(wrongPatch),
      change(whole),
    ]);
    await stage.session.plan("Use port 8080.");
    expect(await stage.session.apply()).toMatchObject({
      ok: true,
      value: { plan: { version: 1 } },
    });
    expect(stage.prompt(3)).not.toContain('host = "::1"');
    expect(stage.prompt(4)).toContain('host = "::1"');
    expect(stage.prompt(4)).toMatch(
      /schema version 1 now: give the files whole with UPDATE_FILE\.\n- ERR_PATCH_APPLY_FAILED: /,
    );
    expect(String(stage.model.requests[4]?.messages[0]?.content)).toContain(
      "PLAN_SCHEMA_VERSION: 1",
    );
    expect(stage.model.requests[4]?.messages).toHaveLength(2);
  });

  it("gets the new text of a file that changed between the plan's check and its preview", async () => {
    const changed = portFile.replace("80", "90");
    const fresh = {
      ...goodPatch,
      base_sha256: sha256Hex(changed),
      patch: goodPatch.patch.replace("= 80;", "= 90;"),
    };
    const stage = openStage([
      askForPort,
      () => {
        stage.workspace.files.set("src/port.ts", changed);
        return JSON.stringify(goodChange);
      },
      change(fresh),
    ]);
    const proposal = await stage.session.apply("Use port 8080.");
    expect(proposal).toMatchObject({ ok: true });
    expect(stage.prompt(2)).toContain(`sha256=${sha256Hex(changed)}`);
    expect(stage.prompt(2)).toContain("port = 90;");
  });
});

describe("a model that fails", () => {
  const refused = new LanguageModelError("unsupported_response_format", "No.");

  it("is asked in the next lower format, and remembered to be so", async () => {
    const { session, model, events } = openStage([refused, refused, goodPlan, goodPlan]);
    await session.plan("Fix it.");
    await session.plan("Fix it again.");
    expect(model.requests.map(({ responseFormat }) => responseFormat?.type)).toEqual([
      "json_schema",
      "json_object",
      undefined,
      undefined,
    ]);
    expect(events.filter(({ type }) => type === "LLM_RESPONSE_FORMAT_FALLBACK")).toMatchObject([
      { from: "json_schema", to: "json_object" },
      { from: "json_object", to: "none" },
    ]);
  });

  it("is asked by the prompt alone under best-effort", async () => {
    const { session, model } = openStage(
      [`Here:\n\`\`\`json\n${JSON.stringify(goodPlan)}\n\`\`\``],
      {
        responseFormat: "best-effort",
      },
    );
    expect((await session.plan("Fix it.")).ok).toBe(true);
    expect(model.requests[0]).not.toHaveProperty("responseFormat");
  });

  it.each(["timeout", "rate_limited", "authentication", "context_length_exceeded"] as const)(
    "throws its %s and keeps the session as it was",
    async (code) => {
      const { session, model, eventTypes } = openStage([
        goodPlan,
        new LanguageModelError(code, "It failed."),
        goodChange,
      ]);
      await session.plan("Fix it.");
      await expect(session.apply()).rejects.toMatchObject({ name: "LanguageModelError", code });
      expect(session.savedPlan?.summary).toBe(goodPlan.summary);
      expect(eventTypes().includes("LLM_REQUEST_TIMEOUT")).toBe(code === "timeout");
      expect(model.requests).toHaveLength(2);
    },
  );

  it("throws where a filter stopped it", async () => {
    const { session } = openStage([{ text: "", finishReason: "content_filter" }]);
    await expect(session.plan("Fix it.")).rejects.toMatchObject({ code: "content_filtered" });
  });
});

describe("a request to the model", () => {
  it("is made with the defaults, and the schema", async () => {
    const { session, model } = openStage([goodPlan]);
    await session.plan("Fix it.");
    const {
      messages: _messages,
      responseFormat,
      ...fields
    } = model.requests[0] ?? { messages: [] };
    expect(fields).toEqual({
      temperature: 0,
      topP: 1,
      frequencyPenalty: 0,
      presencePenalty: 0,
      timeoutMs: 90_000,
      maxOutputTokens: 16_384,
    });
    expect(responseFormat).toMatchObject({ type: "json_schema", name: "plan", strict: true });
  });

  it("asks for a shorter answer to a long input, and leaves to the provider what it is told to", async () => {
    const { session, model, events } = openStage([goodPlan], {
      request: { temperature: undefined, seed: 7 },
    });
    await session.plan("Fix it.", { background: "x".repeat(80_000) });
    expect(model.requests[0]).toMatchObject({ maxOutputTokens: 4_096, seed: 7 });
    expect(model.requests[0]).not.toHaveProperty("temperature");
    expect(events[1]).toMatchObject({
      type: "LLM_REQUEST_SENT",
      token_budget: 4_096,
      schema_version: 2,
      provider: "scripted",
    });
  });

  it("is the same byte for byte for the same inputs", async () => {
    const run = async (): Promise<string> => {
      const { model } = await applyWith(["not JSON", change(wrongPatch), goodChange], {
        memory: {
          read: async () => ({
            user: { preferred_style: "brief" },
            project: { default_test_command: "npm test" },
          }),
        },
      });
      return JSON.stringify(model.requests);
    };
    expect(await run()).toBe(await run());
  });
});

describe("memory", () => {
  const memory = { user: { preferred_style: "brief" as const }, project: {} };
  const patch = {
    ...goodPlan,
    memory_patch: { "project.default_test_command": "npm test", "user.name": "x" },
  };

  it("stands after the system prompt, and a patch is only suggested", async () => {
    const reads: number[] = [];
    const { session, model } = openStage([patch], {
      memory: { read: async () => (reads.push(1), memory) },
    });
    const proposal = await session.plan("Fix it. Remember that tests run by npm test.");
    expect(String(model.requests[0]?.messages[0]?.content)).toMatch(
      /\n\nENGINEERING_MEMORY [^]*"preferred_style":"brief"/,
    );
    expect(proposal).toMatchObject({
      value: {
        suggestedMemory: {
          applied: ["project.default_test_command"],
          rejected: [{ path: ["user.name"] }],
          memory: { project: { default_test_command: "npm test" } },
        },
      },
    });
    expect(memory).toEqual({ user: { preferred_style: "brief" }, project: {} });
    expect(reads).toHaveLength(1);
  });
});

describe("a session", () => {
  it("works on one call at a time", async () => {
    const { session } = openStage([goodPlan]);
    const first = session.plan("Fix it.");
    await expect(session.plan("Fix that.")).rejects.toMatchObject({ code: "session_busy" });
    expect((await first).ok).toBe(true);
  });

  it("does not share anything with another one", async () => {
    const [one, two] = [openStage([askForPort, goodPlan, goodChange]), openStage([goodPlan])];
    await Promise.all([one.session.plan("Use port 8080."), two.session.plan("Something else.")]);
    await expect(two.session.apply()).rejects.toMatchObject({ code: "script_exhausted" });
    const proposal = await one.session.apply();
    expect(proposal.ok).toBe(true);
    await expect(two.session.commit(proposedOf(proposal))).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(two.prompt(0)).not.toContain("FILE[");
  });

  it.each([
    ["apply without a plan", "no_saved_plan", (stage: Stage) => stage.session.apply()],
    ["an empty goal", "invalid_input", (stage: Stage) => stage.session.plan(" ")],
    ["a prefix without a goal", "invalid_input", (stage: Stage) => stage.session.propose("plan:")],
  ])("refuses %s", async (_name, code, call) => {
    const stage = openStage([]);
    const error: unknown = await call(stage).catch((reason: unknown) => reason);
    expect(PlanProtocolError.isInstance(error) && error.code).toBe(code);
    expect(stage.model.requests).toEqual([]);
  });
});
