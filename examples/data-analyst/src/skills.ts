import type { SkillDeclaration } from "@ccl/catalog/importers";

const numbers = { type: "array", items: { type: "number" } };

/** Functions of the analyst, declared as resources. */
export const analystSkills: readonly SkillDeclaration[] = [
  {
    name: "moving_average",
    description: "Smooths a series: the mean of a sliding window over its values.",
    inputSchema: {
      type: "object",
      required: ["values", "window"],
      properties: { values: numbers, window: { type: "integer", minimum: 1 } },
    },
    outputSchema: { type: "object", properties: { values: numbers } },
    examples: [{ task: "moving average of daily prices" }],
    cost_hint: { latency_ms_p50: 1 },
  },
  {
    name: "correlation",
    description:
      "Pearson correlation of two series of the same length: how strongly they go together.",
    inputSchema: {
      type: "object",
      required: ["left", "right"],
      properties: { left: numbers, right: numbers },
    },
    outputSchema: { type: "object", properties: { coefficient: { type: "number" } } },
    examples: [{ task: "how strongly rain and wind go together" }],
    cost_hint: { latency_ms_p50: 1 },
  },
  {
    name: "great_circle_distance",
    description: "Kilometres between two points on the earth, given by latitude and longitude.",
    inputSchema: {
      type: "object",
      required: ["from", "to"],
      properties: { from: numbers, to: numbers },
    },
    outputSchema: { type: "object", properties: { distance_km: { type: "number" } } },
    cost_hint: { latency_ms_p50: 1 },
  },
];
