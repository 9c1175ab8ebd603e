import { describe, expect, it } from "vitest";

import type { PlanWorkspace } from "../workspace/plan-workspace.ts";
import { createMemoryWorkspace } from "./__fixtures__/create-memory-workspace.ts";
import {
  askForPort,
  goodChange,
  goodPlan,
  openStage,
  portFile,
  proposedOf,
} from "./__fixtures__/open-stage.ts";

type Step = "memory" | "model" | "read" | "preview" | "apply" | "none";

/** A workspace that aborts in the middle of one of its calls. */
function abortingWorkspace(step: () => Step, abort: () => void): PlanWorkspace {
  const inner = createMemoryWorkspace({ "src/port.ts": portFile });
  const during = async <T>(name: Step, work: () => Promise<T>): Promise<T> => {
    if (step() === name) abort();
    return await work();
  };
  return {
    readSet: inner.readSet,
    read: (requests) => during("read", () => inner.read(requests)),
    preview: (plan) => during("preview", () => inner.preview(plan)),
    apply: (plan, options) =>
      during("apply", async () => {
        options?.signal?.throwIfAborted();
        return await inner.apply(plan);
      }),
  };
}

describe("an aborted call", () => {
  it.each<Step>(["memory", "model", "read", "preview"])(
    "in the middle of %s throws, and leaves the session as it was",
    async (at) => {
      let step: Step = "none";
      let controller = new AbortController();
      const abort = (): void => controller.abort(new Error("enough"));
      const memory = {
        read: async () => {
          if (step === "memory") abort();
          return { user: {}, project: {} };
        },
      };
      const answer = (value: object) => () => {
        if (step === "model") abort();
        return JSON.stringify(value);
      };
      const answers = [askForPort, goodPlan, goodChange, goodChange].map(answer);
      const stage = openStage(answers, { memory, workspace: abortingWorkspace(() => step, abort) });
      await stage.session.plan("Use port 8080.");
      const calls = stage.model.requests.length;

      step = at;
      const { signal } = controller;
      await expect(stage.session.apply("", { signal })).rejects.toMatchObject({
        name: "PlanProtocolError",
        code: "aborted",
      });
      expect(stage.session.savedPlan?.summary).toBe(goodPlan.summary);
      expect(stage.model.requests.length - calls).toBe(at === "memory" || at === "read" ? 0 : 1);

      step = "none";
      controller = new AbortController();
      expect(await stage.session.apply("", { signal: controller.signal })).toMatchObject({
        ok: true,
      });
    },
  );

  it("before it began asks for nothing", async () => {
    const stage = openStage([goodPlan]);
    const signal = AbortSignal.abort();
    await expect(stage.session.plan("Fix it.", { signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(stage.model.requests).toEqual([]);
    expect(stage.events).toEqual([]);
  });

  it("passes its signal to the model, and to a commit", async () => {
    const controller = new AbortController();
    const workspace = abortingWorkspace(
      () => "apply",
      () => controller.abort(),
    );
    const stage = openStage([askForPort, goodChange], { workspace });
    const proposal = await stage.session.apply("Use port 8080.", { signal: controller.signal });
    expect(stage.model.requests.every(({ signal }) => signal === controller.signal)).toBe(true);
    await expect(
      stage.session.commit(proposedOf(proposal), { signal: controller.signal }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("is the outcome of the proposal", async () => {
    const controller = new AbortController();
    const stage = openStage([
      () => {
        controller.abort();
        return "x";
      },
    ]);
    await expect(
      stage.session.plan("Fix it.", { signal: controller.signal }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
    expect(stage.events.at(-1)).toMatchObject({ type: "PROPOSAL_ENDED", outcome: "aborted" });
  });
});
