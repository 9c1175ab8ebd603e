import type { ToolDefinition } from "@ccl/core";
import { createCatalog, fromTools } from "@ccl/catalog";
import { describe, expect, it } from "vitest";
import { planDetails } from "../compile/plan-details.ts";
import { executePlan, type ExecutePlanOptions } from "../execute/execute-plan.ts";
import type { PlanRow } from "../execute/query-result.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { skillConnector, type SkillConnectorOptions } from "./skill-connector.ts";

const calls: unknown[] = [];
const forecast: ToolDefinition = {
  name: "forecast",
  description: "Days of a place.",
  inputSchema: {
    type: "object",
    properties: {
      place: { type: "string", maxLength: 20 },
      days: { type: "integer", minimum: 1, maximum: 3 },
    },
    required: ["place"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      source: { type: "string" },
      days: {
        type: "array",
        items: {
          type: "object",
          properties: { day: { type: "string", format: "date" }, celsius: { type: "number" } },
          required: ["day"],
        },
      },
    },
    required: ["days"],
  },
  execute: async (input) => {
    calls.push(input);
    return { source: "model", days: [{ day: "2026-01-01", celsius: 2.5 }, { day: "2026-01-02" }] };
  },
};
const with_ = (execute: ToolDefinition["execute"]): ToolDefinition => ({ ...forecast, execute });

async function run(
  plan: string,
  tool: ToolDefinition = forecast,
  options: SkillConnectorOptions & Pick<ExecutePlanOptions, "signal"> = {},
): Promise<PlanRow[]> {
  const catalog = createCatalog();
  await catalog.register(fromTools([tool], { group: "weather" }));
  const details = await planDetails(catalog, ["res:skill.weather.forecast"]);
  const parsed = parseLogicalPlan(plan);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { signal, ...more } = options;
  const result = await executePlan(parsed.value, {
    details,
    connectors: { "ada://any/skill": skillConnector([tool], more) },
    signal,
  });
  return result.all();
}

const scan = 'scan(res:skill.weather.forecast, place, source, "days[].day", "days[].celsius")';

describe("skillConnector", () => {
  it("calls a function of a catalog's card once for each place, and gives the list in its answer as rows", async () => {
    calls.length = 0;
    const rows = await run(`${scan} -> filter(place in ('Ulm', 'O''Hare; --'))`);
    expect(calls).toEqual([{ place: "Ulm" }, { place: "O'Hare; --" }]);
    expect(rows.slice(0, 2)).toEqual([
      { place: "Ulm", source: "model", "days[].day": "2026-01-01", "days[].celsius": 2.5 },
      { place: "Ulm", source: "model", "days[].day": "2026-01-02", "days[].celsius": null },
    ]);
    expect(rows).toHaveLength(4);
  });

  const late = with_(
    async (_, { signal }) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(new Error("stopped"))),
      ),
  );
  const refusals: [
    name: string,
    code: string,
    plan: string,
    tool?: ToolDefinition,
    options?: SkillConnectorOptions,
  ][] = [
    [
      "a call without what the function needs",
      "plan_invalid",
      'scan(res:skill.weather.forecast, "days[].day")',
    ],
    [
      "arguments that break the input schema",
      "argument_missing",
      `${scan} -> filter(place = '${"x".repeat(21)}')`,
    ],
    [
      "an answer that breaks the output schema",
      "value_invalid",
      `${scan} -> filter(place = 'Ulm')`,
      with_(async () => ({ days: "none" })),
    ],
    [
      "an answer that is no JSON",
      "value_invalid",
      `${scan} -> filter(place = 'Ulm')`,
      with_(async () => ({ days: [() => 1] })),
    ],
    [
      "a value of another type than the card's",
      "value_invalid",
      `${scan} -> filter(place = 'Ulm')`,
      with_(async () => ({ days: [{ day: "2026-02-30" }] })),
    ],
    [
      "a function that throws",
      "source_failed",
      `${scan} -> filter(place = 'Ulm')`,
      with_(async () => Promise.reject(new Error("no network"))),
    ],
    [
      "a function that takes too long",
      "limit_exceeded",
      `${scan} -> filter(place = 'Ulm')`,
      late,
      { timeoutMs: 20 },
    ],
    [
      "more calls than allowed",
      "limit_exceeded",
      `${scan} -> filter(place in ('a', 'b'))`,
      forecast,
      { maxCalls: 1 },
    ],
  ];
  it.each(refusals)("refuses %s", async (_, code, plan, tool, options) => {
    await expect(run(plan, tool, options)).rejects.toMatchObject({ code });
  });

  it("passes an abort on to the function", async () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const waiting = with_(async (_, { signal }) => {
      signal?.addEventListener("abort", () => reasons.push("stopped"));
      controller.abort();
      return new Promise(() => undefined);
    });
    await expect(
      run(`${scan} -> filter(place = 'Ulm')`, waiting, { signal: controller.signal }),
    ).rejects.toMatchObject({ code: "aborted" });
    expect(reasons).toEqual(["stopped"]);
  });

  it("refuses functions without an output schema, and two of one name", () => {
    const { outputSchema: _, ...mute } = forecast;
    expect(() => skillConnector([mute])).toThrow("outputSchema");
    expect(() => skillConnector([forecast, forecast])).toThrow("two functions");
  });
});
