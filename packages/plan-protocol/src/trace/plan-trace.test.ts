import { describe, expect, it } from "vitest";

import { planWireSchema, schemaHash } from "../schema/plan-schema.ts";
import {
  askForPort,
  goodChange,
  goodPlan,
  openStage,
  proposedOf,
} from "../session/__fixtures__/open-stage.ts";
import type { PlanTrace } from "./plan-trace.ts";

describe("a trace", () => {
  it("holds configuration, figures, the plan and its events, and no answer as it came", async () => {
    const traces: PlanTrace[] = [];
    const { session } = openStage([askForPort, goodPlan], {
      trace: { write: async (trace) => void traces.push(trace) },
    });
    const { trace } = await session.plan("Use port 8080.");
    expect(traces).toEqual([trace]);
    expect(trace).toMatchObject({
      trace_id: "trace-1",
      started_at: 1_000,
      mode: "plan",
      outcome: "ok",
      schema_version: 2,
      schema_hash: schemaHash(planWireSchema(2)),
      config_snapshot: {
        model: "scripted",
        response_format: "strict",
        request: { temperature: 0 },
      },
      context_stats: { context_files_count: 1, context_logs_chars: 0 },
      cache_stats: { hit_rate: 0, misses: { read_file: 1 } },
      validated_json: { mode: "plan", summary: goodPlan.summary },
    });
    expect(trace.events.map(({ type }) => type)).toEqual([
      "LLM_REQUEST_SENT",
      "LLM_RESPONSE_OK",
      "CONTEXT_CACHE_MISS",
      "LLM_REQUEST_SENT",
      "LLM_RESPONSE_OK",
    ]);
    expect(new Set(trace.events.map(({ trace_id }) => trace_id))).toEqual(new Set(["trace-1"]));
  });

  it("is written after a proposal, and again with the commit that follows", async () => {
    const traces: PlanTrace[] = [];
    const trace = { write: async (one: PlanTrace) => void traces.push(one) };
    const { session } = openStage([askForPort, goodChange], { trace });
    const proposal = await session.apply("Use port 8080.");
    await session.commit(proposedOf(proposal));
    expect(traces.map(({ trace_id, events }) => [trace_id, events.at(-1)?.type])).toEqual([
      ["trace-1", "PREVIEW_READY"],
      ["trace-1", "APPLY_SUCCESS"],
    ]);
  });

  it("names the version of the last answer, the issues of a failure, and survives a sink that fails", async () => {
    const wrong = {
      actions: [{ kind: "EDIT_FILE", path: "src/port.ts", base_sha256: "0".repeat(64), edits: [] }],
      summary: "x",
    };
    const write = async (): Promise<void> => {
      throw new Error("The disk is full.");
    };
    const { session } = openStage([askForPort, wrong, wrong, wrong, wrong], {
      version: 3,
      trace: { write },
    });
    const proposal = await session.apply("Use port 8080.");
    expect(proposal).toMatchObject({
      ok: false,
      traceProblem: "The disk is full.",
      trace: {
        outcome: "failed",
        schema_version: 2,
        config_snapshot: { schema_version: 3 },
        validated_json: null,
      },
    });
    expect(proposal.trace.issues.length).toBeGreaterThan(0);
  });
});
