import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  askForPort,
  goodChange,
  goodPatch,
  goodPlan,
  openStage,
  portFile,
} from "./__fixtures__/open-stage.ts";

const ask = (...context_requests: object[]): { actions: []; context_requests: object[] } => ({
  actions: [],
  context_requests,
});
const read = (path: string, start_line?: number, end_line?: number): object => ({
  type: "read_file",
  path,
  start_line,
  end_line: start_line === undefined ? undefined : end_line,
});

describe("context", () => {
  it("is collected for what goal and report name, before the first call", async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}\n`).join("");
    const { session, workspace, prompt } = openStage([goodPlan], {
      files: { "src/a.ts": lines },
      root: "/w",
    });
    await session.plan("Fix it.", { report: "Error: x\n    at f (/w/src/a.ts:200:3)" });
    expect(workspace.reads).toEqual([read("src/a.ts", 120, 280)]);
    expect(prompt(0)).toContain("FILE[src/a.ts:120-280] sha256=");
    expect(prompt(0)).toContain("<<< REPORT ");
    expect(prompt(0)).toContain("line 120\n");
    expect(prompt(0)).not.toContain("line 119\n");
  });

  it("is read in rounds, with what the model said shown again, until the limit", async () => {
    const { session, prompt, model } = openStage([
      askForPort,
      ask({ type: "env" }),
      ask({ type: "env" }),
    ]);
    const proposal = await session.plan("Use port 8080.");
    expect(proposal).toMatchObject({ ok: false, issues: [{ code: "ERR_CONTEXT_ROUNDS" }] });
    expect(prompt(0)).toContain("You may ask for context 2 more times.");
    expect(prompt(1)).toContain("You may ask for context once more.");
    expect(prompt(1)).toContain(`\n${askForPort.summary}\n`);
    expect(prompt(2)).toContain("No further context can be asked for");
    expect(prompt(2)).toMatch(/FILE\[src\/port\.ts\][^]*ENV/);
    expect(model.requests).toHaveLength(3);
    expect(session.savedPlan).toBeUndefined();
  });

  it("keeps an answer that is being repaired while context is read", async () => {
    const wrong = { actions: [{ ...goodPatch, base_sha256: "x" }], summary: "x" };
    const { session, model } = openStage([wrong, askForPort, goodChange]);
    expect(await session.apply("Use port 8080.")).toMatchObject({ ok: true });
    expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  });

  it.each([
    ["a file", read("src/port.ts")],
    ["a range", read("src/port.ts", 1, 1)],
    ["a search", { type: "search", query: "port", glob: "**/*.ts" }],
    ["logs", { type: "logs", source: "app", last_n: 5 }],
    ["the environment", { type: "env" }],
  ] as const)("comes from the cache where %s is asked for again", async (_name, request) => {
    const { session, workspace, eventTypes } = openStage([ask(request), ask(request), goodPlan]);
    await session.plan("Use port 8080.");
    expect(workspace.reads).toHaveLength(1);
    expect(eventTypes().filter((event) => event.startsWith("CONTEXT"))).toEqual([
      "CONTEXT_CACHE_MISS",
      "CONTEXT_CACHE_HIT",
    ]);
  });

  it.each([
    [read("src/port.ts", 1, 1), read("src/port.ts", 1, 2)],
    [
      { type: "logs", source: "app", last_n: 5 },
      { type: "logs", source: "app", last_n: 6 },
    ],
    [
      { type: "search", query: "port" },
      { type: "search", query: "port", glob: "src/**" },
    ],
  ])("of %j and %j is read twice", async (first, second) => {
    const { session, workspace } = openStage([ask(first, second), goodPlan]);
    await session.plan("Use port 8080.");
    expect(workspace.reads).toEqual([first, second]);
  });

  it("has a key with the file's hash, so that a changed file is another entry", async () => {
    const { session, events } = openStage([askForPort, goodPlan]);
    await session.plan("Use port 8080.");
    expect(events.find(({ type }) => type === "CONTEXT_CACHE_MISS")).toMatchObject({
      key: '{"path":"src/port.ts","type":"read_file"} absent',
    });
  });

  it("is cut to its limits, which is reported and said to the model", async () => {
    const files = Object.fromEntries(
      ["a", "b", "c"].map((name) => [`${name}.ts`, `${name}\n`.repeat(10_000)]),
    );
    const limits = { maxContextFiles: 2, maxContextFileChars: 5_000 };
    const { session, prompt, events } = openStage(
      [ask(read("a.ts"), read("b.ts"), read("c.ts")), ask(read("c.ts")), goodPlan],
      { files, limits },
    );
    await session.plan("Fix it.");
    expect(prompt(1)).toContain("(1 requests of that answer were ignored: too many at once.)");
    expect(prompt(2)).toMatch(/\.\.\.\[TRUNCATED \d+ chars\]\.\.\./);
    expect(prompt(2)).toContain(
      "Left out, because there was no room (ask for less at a time):\n- FILE[c.ts]",
    );
    expect(events.findLast(({ type }) => type === "CONTEXT_DIET_APPLIED")).toMatchObject({
      files: 2,
      dropped: 1,
      truncated: 2,
      total_chars: 10_000,
    });
  });

  it("of a report keeps head and tail", async () => {
    const { session, prompt } = openStage([goodPlan], { limits: { maxContextLogChars: 400 } });
    await session.plan("Fix it.", { report: `first\n${"x".repeat(5_000)}\nlast` });
    expect(prompt(0)).toMatch(/first[^]*\.\.\.\[TRUNCATED \d+ chars\]\.\.\.[^]*last/);
    expect(prompt(0).length).toBeLessThan(1_000);
  });
});

describe("a file that was not shown whole", () => {
  const whole = {
    actions: [{ kind: "UPDATE_FILE", path: "src/port.ts", content: "export const port = 8080;\n" }],
    summary: "x",
  };

  it("cannot be replaced, and is shown whole when the answer is sent back", async () => {
    const { session, prompt, lastMessage } = openStage(
      [ask(read("src/port.ts", 2, 2)), whole, whole],
      { version: 1 },
    );
    const proposal = await session.apply("Use port 8080.");
    expect(proposal.ok).toBe(true);
    expect(lastMessage(2)).toContain("[ERR_UPDATE_WITHOUT_BASE]");
    expect(prompt(1)).not.toContain('host = "::1"');
    expect(prompt(2)).toContain('host = "::1"');
  });

  it("cannot be replaced where the diet has cut it", async () => {
    const files = { "src/port.ts": portFile.repeat(100) };
    const { session } = openStage([askForPort, whole, whole], {
      version: 1,
      files,
      limits: { maxContextFileChars: 500 },
    });
    expect(await session.apply("Fix it.")).toMatchObject({
      ok: false,
      issues: [{ code: "ERR_UPDATE_WITHOUT_BASE" }],
    });
  });

  it("cannot be changed at all where nothing of it is shown", async () => {
    const { session } = openStage([{ ...goodChange }, { ...goodChange }], {
      limits: { maxContextFiles: 0 },
    });
    expect(await session.apply("Fix it.")).toMatchObject({
      ok: false,
      issues: [{ code: "ERR_UPDATE_WITHOUT_BASE" }],
    });
  });
});

describe("a file that could not be read", () => {
  it("is not asked for again: the issue says why it was not read", async () => {
    const missing = { kind: "UPDATE_FILE", path: "src/none.ts", content: "x\n" };
    const answer = { actions: [missing], summary: "x" };
    const { session } = openStage([ask(read("src/none.ts")), answer, answer], { version: 1 });
    expect(await session.apply("Fix it.")).toMatchObject({
      ok: false,
      issues: [{ code: "ERR_UPDATE_WITHOUT_BASE", message: "src/none.ts is not there." }],
    });
  });
});

describe("secrets", () => {
  const secret = `sk-proj-${"a1B2".repeat(12)}`;
  const files = {
    "src/port.ts": portFile,
    "src/keys.ts": `export const apiKey = "${secret}";\nexport const on = true;\n`,
  };

  it("reach neither the model nor an event", async () => {
    const plan = { actions: [], summary: `The key is ${secret}.` };
    const answers = [ask(read("src/keys.ts")), plan, plan];
    const { session, model, events } = openStage(answers, { files });
    await session.plan("Fix it.", {
      report: `KEY=${secret}`,
      background: `token: "${secret}"`,
    });
    expect(JSON.stringify(model.requests)).not.toContain(secret);
    expect(JSON.stringify(model.requests)).toContain("[redacted:");
    await session.plan(`Replace ${secret}.`);
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it.each([
    [
      "a new file",
      { kind: "CREATE_FILE", path: "b.ts", content: 'const key = "[redacted:openai_key]";\n' },
      "ERR_ELISION",
    ],
    [
      "a file shown with a mask",
      { kind: "UPDATE_FILE", path: "src/keys.ts", content: "export const on = false;\n" },
      "ERR_UPDATE_WITHOUT_BASE",
    ],
  ])("are not lost or replaced by their masks in %s", async (_name, action, code) => {
    const answer = { actions: [action], summary: "x" };
    const { session } = openStage([ask(read("src/keys.ts")), answer, answer], {
      files,
      version: 1,
    });
    expect(await session.apply("Fix it.")).toMatchObject({ ok: false, issues: [{ code }] });
  });

  it.each([".env", "../outside.txt", "/etc/passwd", "a/secrets/b.txt"])(
    "cannot be asked for: %s is refused unread",
    async (path) => {
      const { session, workspace, prompt } = openStage([ask(read(path)), goodPlan], {
        files: { ...files, [path]: "hidden" },
      });
      expect((await session.plan("Fix it.")).ok).toBe(true);
      expect(workspace.reads).toEqual([]);
      expect(prompt(1)).toMatch(/Not read: (?:PROTECTED_PATH|ERR_INVALID_PATH)\./);
      expect(prompt(1)).not.toContain("hidden");
    },
  );
});

describe("hostile answers", () => {
  it.each([
    [
      "many requests",
      {
        actions: [],
        context_requests: Array.from({ length: 5_000 }, (_, index) => read(`f${index}.ts`)),
      },
    ],
    ["deep JSON", "[".repeat(100_000)],
    [
      "two plans",
      `${JSON.stringify(goodChange)}\n${JSON.stringify({ ...goodChange, summary: "Other." })}`,
    ],
    ["tool calls instead of text", { text: "", finishReason: "tool_calls" as const }],
    ["a prototype", '{"actions":[],"summary":"x","__proto__":{"polluted":true}}'],
    ["control characters", `\u0000\u001b[2J${"\u202e".repeat(1_000)}`],
    ["an empty text", ""],
  ])("of %s end in a plan that is sound, or in issues, after few calls", async (_name, answer) => {
    const { session, model, workspace } = openStage([
      answer,
      answer,
      answer,
      answer,
      answer,
      answer,
    ]);
    const proposal = await session.apply("Use port 8080.");
    expect(proposal.ok).toBe(false);
    expect(model.requests.length).toBeLessThanOrEqual(4);
    expect(workspace.reads.length).toBeLessThanOrEqual(16);
    expect(workspace.files.get("src/port.ts")).toBe(portFile);
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  it("of any text never change a file, and always end", async () => {
    const piece = fc.constantFrom(
      JSON.stringify(goodChange),
      JSON.stringify(askForPort),
      '{"actions":[',
      "}",
      '"',
      "\n",
      "```json\n",
    );
    const answer = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.array(piece, { maxLength: 4 }).map((parts) => parts.join("")),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 8, maxLength: 8 }), async (answers) => {
        const { session, model, workspace } = openStage(answers, { version: 3 });
        const proposal = await session.apply("Use port 8080.");
        expect(typeof proposal.ok).toBe("boolean");
        expect(model.requests.length).toBeLessThanOrEqual(7);
        expect(workspace.files.get("src/port.ts")).toBe(portFile);
      }),
    );
  });
});
