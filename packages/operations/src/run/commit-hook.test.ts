import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { readState, sessionOf } from "../ports/chat-state.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import { done, scenario, write, type Scenario } from "../../test-support/engine-scenario.ts";
import { writtenChat } from "../../test-support/written-chat.ts";
import type { MainPrompt } from "./engine-options.ts";
import type { RunResult } from "../events/run-event.ts";

const key = {
  chatId: "chat",
  branchId: "main",
  profileId: "profile",
  operationProfileSessionId: "session",
};

async function turn({ engine, start }: Scenario): Promise<RunResult> {
  return (await engine.start(start)).result;
}

const logOf = ({ commitLog }: RunResult): string[] =>
  commitLog.map(({ operationId, commitStatus, errorCode }) =>
    [operationId, commitStatus, errorCode].filter((part) => part !== undefined).join(" "),
  );

describe("a persisted value that a run_only one of the same tag hides", () => {
  it("keeps its history and its versions", async () => {
    let turns = 0;
    const world = scenario({
      answers: ["1", "2", "3"],
      operations: [
        {
          id: "a",
          required: true,
          hooks: ["before_main_llm", "after_main_llm"],
          writesTag: "a",
          does: async ({ hook, artifacts }) => {
            if (hook === "before_main_llm")
              return done(write("a", "scratch", { persisted: false }));
            expect(artifacts["a"]?.value).toBe("scratch");
            turns += 1;
            return done(write("a", turns, { expectedVersion: turns - 1 }));
          },
        },
      ],
    });
    for (let at = 1; at <= 3; at += 1) {
      const { status, artifacts } = await turn(world);
      expect([status, artifacts.map(({ value, version }) => [value, version])]).toEqual([
        "done",
        [[at, at]],
      ]);
    }
    const [stored] = await readState(world.chat, key);
    expect(stored).toMatchObject({
      value: 3,
      version: 3,
      parentVersion: 2,
      history: [{ value: 1 }, { value: 2 }],
    });
  });

  it("is seen again by what depends on an operation that has written the same", async () => {
    const seen: unknown[] = [];
    const world = scenario({
      answers: ["1", "2"],
      operations: [
        {
          id: "a",
          hooks: ["before_main_llm", "after_main_llm"],
          writesTag: "a",
          does: async ({ hook }) =>
            done(
              hook === "before_main_llm"
                ? write("a", "scratch", { persisted: false })
                : write("a", "kept"),
            ),
        },
        {
          id: "b",
          hooks: ["after_main_llm"],
          dependsOn: ["a"],
          does: async ({ artifacts }) => {
            seen.push(artifacts["a"]?.value);
            return done();
          },
        },
      ],
    });
    await turn(world);
    await turn(world);
    expect(seen).toEqual(["kept", "kept"]);
    expect(await readState(world.chat, key)).toMatchObject([{ version: 1, history: [] }]);
  });
});

describe("a text that was cut within an emoji", () => {
  it("is kept well-formed, the same each time, and can be printed", async () => {
    const cut = { "key\uD83D": "cut \uD83D" };
    const kept = { "key\uFFFD": "cut \uFFFD" };
    const world = scenario({
      answers: ["1", "2"],
      operations: [
        { id: "a", required: true, writesTag: "a", does: done(write("a", cut)) },
        {
          id: "b",
          kind: "template",
          required: true,
          dependsOn: ["a"],
          params: {
            template: "{{ art.a | json }}",
            emit: [{ type: "prompt.system_update", mode: "replace" }],
          },
        },
      ],
    });
    for (let at = 1; at <= 2; at += 1) {
      const { status, artifacts } = await turn(world);
      expect([status, artifacts.map(({ value, version }) => [value, version])]).toEqual([
        "done",
        [[kept, 1]],
      ]);
    }
    expect(await readState(world.chat, key)).toMatchObject([{ value: kept, history: [] }]);
  });
});

describe("an effect that has no place in the prompt", () => {
  const insert = (rest: Record<string, unknown>): OperationEffect =>
    JSON.parse(
      JSON.stringify({
        type: "prompt.insert",
        place: "after",
        role: "user",
        content: "x",
        ...rest,
      }),
    );

  it.each<[string, OperationEffect]>([
    ["an anchor that is gone", insert({ anchor: { messageId: "gone" }, onAnchorTrimmed: "fail" })],
    ["a system message to replace", insert({ anchor: { messageId: "sys" }, place: "replace" })],
  ])("is an error of its operation: %s", async (_name, effect) => {
    for (const required of [false, true]) {
      const world = scenario({
        operations: [
          { id: "a", required, writesTag: "a", does: done(write("a", 1), effect) },
          {
            id: "b",
            does: done({ type: "prompt.append_after_last_user", role: "user", content: "y" }),
          },
        ],
      });
      const result = await turn(world);
      expect([result.status, result.failedType, result.mainLlm.executed, ...logOf(result)]).toEqual(
        required
          ? ["failed", "before_barrier", false, "a error policy_error", "b discarded"]
          : ["done", undefined, true, "a error policy_error", "b committed"],
      );
      expect(await readState(world.chat, key)).toEqual([]);
    }
  });

  it.each([1, 0.5, -0.5])("is no effect where its offset is %d", async (offset) => {
    const world = scenario({
      operations: [{ id: "a", does: done(insert({ anchor: { offset } })) }],
    });
    const result = await turn(world);
    expect(result.status).toBe("done");
    expect(result.operationRuns).toMatchObject([
      { status: "error", errorCode: "validation_error" },
    ]);
  });
});

describe("an inclusion that can't be rendered", () => {
  const state = (template: string): OperationEffect =>
    write("world", "sunny", {
      usage: "prompt_only",
      inclusion: { mode: "append_system", template },
    });

  it.each(["before_main_llm", "after_main_llm"] as const)(
    "is an error of the one that writes it %s",
    async (hook) => {
      for (const required of [false, true]) {
        const world = scenario({
          operations: [
            {
              id: "a",
              hooks: [hook],
              required,
              writesTag: "world",
              does: done(state("{{ value | upcas }}")),
            },
          ],
        });
        const result = await turn(world);
        expect(logOf(result)).toEqual(["a error template_render_error"]);
        expect(result.status).toBe(required ? "failed" : "done");
        expect(await readState(world.chat, key)).toEqual([]);
      }
    },
  );

  it("is left out of the prompt where it was stored in spite of that", async () => {
    const mainModel = createScriptedModel(["1"]);
    const prompts: MainPrompt[] = [];
    const onPrompt = (prompt: MainPrompt): void => {
      prompts.push(prompt);
      throw new Error("thrown by a listener");
    };
    const errors: unknown[] = [];
    const onListenerError = (error: unknown): number => errors.push(error);
    const world = scenario({
      mainModel,
      onPrompt,
      onListenerError,
      operations: [{ id: "a", does: done() }],
    });
    const effect = {
      tag: "world",
      persisted: true,
      usage: "prompt_only",
      semantics: "state",
      value: "sunny",
    } as const;
    const write = {
      ...effect,
      inclusion: { mode: "append_system", template: "{% if %}" },
    } as const;
    const at = { ...key, userMessageId: "earlier" };
    const written = writtenChat(world);
    await written.say({ ...at, content: "" });
    await written.commit({
      ...at,
      runId: "earlier",
      hook: "before_main_llm",
      writtenAt: 0,
      operations: [{ operationId: "a", effects: [], write: { value: write, version: 1 } }],
      state: { runId: "earlier", session: sessionOf(key), heads: {} },
    });
    expect((await turn(world)).status).toBe("done");
    expect(mainModel.requests[0]?.messages.map(({ content }) => content)).toEqual([
      "Be brief.",
      "Hello",
    ]);
    const dropped = [{ contributor: { kind: "inclusion", tag: "world" }, reason: "unrenderable" }];
    expect(prompts).toMatchObject([
      { attempt: 1, messages: mainModel.requests[0]?.messages, explain: { dropped } },
    ]);
    expect(errors.map(String)).toEqual(["Error: thrown by a listener"]);
  });
});
