import { describe, expect, it } from "vitest";
import { checkResources } from "../record/check-resource.ts";
import { fromTools } from "./from-tools.ts";

const revenue = {
  name: "daily_revenue",
  title: "Ежедневная выручка",
  description: "Revenue by day and city, returns taken off.",
  inputSchema: {
    type: "object",
    required: ["day_from"],
    properties: {
      day_from: { type: "string", format: "date" },
      city: { type: "string", description: "Все, если пусто" },
    },
  },
  outputSchema: {
    type: "array",
    items: {
      type: "object",
      properties: { day: { type: "string", format: "date" }, revenue: { type: "number" } },
    },
  },
  tags: ["lifecycle:stable"],
  examples: [{ task: "GMV by city per day", ops: ["filter", "agg"] }],
  snippets: [{ engine: "ts", code: "await dailyRevenue({ day_from: '2025-10-01' })" }],
  anti_patterns: ["more than 400 days in one call"],
  policy: "rbac:analyst-read",
  secrets: ["ada://secret/pg:main", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"],
};

describe("fromTools", () => {
  it("turns a declaration into a resource of kind skill", () => {
    const resources = fromTools([revenue], { group: "sales", owner: "team.analytics" });
    expect(checkResources(resources).ok).toBe(true);
    expect(resources).toMatchInlineSnapshot(`
      [
        {
          "access": {
            "policy": "rbac:analyst-read",
            "secrets": [
              "ada://secret/pg:main",
              "[redacted:secret_value]",
            ],
          },
          "cap": [
            "call",
          ],
          "columns": [
            {
              "in": "input",
              "name": "day_from",
              "nn": true,
              "type": "date",
            },
            {
              "description": "Все, если пусто",
              "in": "input",
              "name": "city",
              "type": "string",
            },
            {
              "in": "output",
              "name": "day",
              "type": "date",
            },
            {
              "in": "output",
              "name": "revenue",
              "type": "number",
            },
          ],
          "description": "Revenue by day and city, returns taken off.",
          "examples": [
            {
              "ops": [
                "filter",
                "agg",
              ],
              "task": "GMV by city per day",
            },
          ],
          "id": "res:skill.sales.daily_revenue",
          "kind": "skill",
          "owner": "team.analytics",
          "shape": {
            "cols": 4,
          },
          "tags": [
            "lifecycle:stable",
          ],
          "title": "Ежедневная выручка",
          "uri": "ada://any/skill/sales/daily_revenue",
          "usage": {
            "anti_patterns": [
              "more than 400 days in one call",
            ],
            "snippets": [
              {
                "code": "await dailyRevenue({ day_from: '2025-10-01' })",
                "engine": "ts",
              },
              {
                "code": "{"tool":"daily_revenue","arguments":{"day_from":"<date>"}}",
                "engine": "json",
              },
            ],
          },
        },
      ]
    `);
  });

  it("sorts by id, and keeps the later of two with the same name", () => {
    const tools = ["b", "a", "b"].map((name, index) => ({
      name,
      description: String(index),
      inputSchema: {},
    }));
    expect(fromTools(tools).map(({ id, description }) => [id, description])).toEqual([
      ["res:skill.a", "1"],
      ["res:skill.b", "2"],
    ]);
  });
});
