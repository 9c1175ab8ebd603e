import { describe, expect, it } from "vitest";

import { planWireSchema, schemaHash } from "../schema/plan-schema.ts";
import {
  askForPort,
  goodChange,
  goodPlan,
  openStage,
  proposedOf,
} from "../session/__fixtures__/open-stage.ts";

describe("the events of a proposal", () => {
  it("hold its configuration, figures and plan, and no answer as it came", async () => {
    const { session, events } = openStage([askForPort, goodPlan]);
    const { traceId } = await session.plan("Use port 8080.");
    expect(events.map(({ type }) => type)).toEqual([
      "PROPOSAL_STARTED",
      "LLM_REQUEST_SENT",
      "LLM_RESPONSE_OK",
      "CONTEXT_CACHE_MISS",
      "LLM_REQUEST_SENT",
      "LLM_RESPONSE_OK",
      "PROPOSAL_ENDED",
    ]);
    expect(new Set(events.map(({ trace_id }) => trace_id))).toEqual(new Set([traceId]));
    expect(events[0]).toMatchObject({
      mode: "plan",
      at: 1_000,
      config: {
        model: "scripted",
        schema_version: 2,
        response_format: "strict",
        request: { temperature: 0 },
      },
    });
    expect(events[1]).toMatchObject({ schema_hash: schemaHash(planWireSchema(2)) });
    expect(events.at(-1)).toMatchObject({
      outcome: "ok",
      plan: { mode: "plan", summary: goodPlan.summary },
    });
  });

  it("go on with the commit that follows", async () => {
    const { session, events } = openStage([askForPort, goodChange]);
    const proposal = await session.apply("Use port 8080.");
    await session.commit(proposedOf(proposal));
    expect(events.slice(-3)).toMatchObject([
      { type: "PREVIEW_READY" },
      { type: "PROPOSAL_ENDED", outcome: "ok" },
      { type: "APPLY_SUCCESS", trace_id: proposal.traceId },
    ]);
  });

  it("name the version of the last answer and the issues of a failure", async () => {
    const wrong = {
      actions: [{ kind: "EDIT_FILE", path: "src/port.ts", base_sha256: "0".repeat(64), edits: [] }],
      summary: "x",
    };
    const { session, events } = openStage([askForPort, wrong, wrong, wrong, wrong], { version: 3 });
    expect(await session.apply("Use port 8080.")).toMatchObject({ ok: false });
    expect(events.findLast(({ type }) => type === "LLM_REQUEST_SENT")).toMatchObject({
      schema_version: 2,
    });
    expect(events.at(-2)).toMatchObject({ type: "VALIDATION_FAILED" });
    expect(events.at(-1)).toMatchObject({ type: "PROPOSAL_ENDED", outcome: "failed" });
  });
});
