// Counts calls and tokens until a plan of a recorded edit is valid, by the answer format. The model is a recording: it
// asks for the file if it is not shown, makes a slip in its first change, and none in the next. The first two rows are
// the control: only the documents' JSON. Build first. node bench/calls-to-a-plan.mjs --data DIR [--half 0|1]
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { estimatedCounter } from "@ccl/core";

import { createPlanSession } from "../dist/index.js";
import { openWorkspace } from "../dist/node/index.js";
import { slips } from "./answer-slips.mjs";

const { values } = parseArgs({ options: { data: { type: "string" }, half: { type: "string" } } });
if (values.data === undefined) throw new Error("Give --data DIR.");
const rows = fs
  .readFileSync(path.join(values.data, "plans/edits.jsonl"), "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line))
  .filter((_, index) => values.half === undefined || index % 2 === Number(values.half));
const ways = [
  { name: "JSON, asked for", format: "json", answer: "PATCH_FILE", isShown: false },
  { name: "JSON, shown at once", format: "json", answer: "PATCH_FILE", isShown: true },
  { name: "V4A, asked for", format: "v4a", answer: "V4A", isShown: false },
  { name: "V4A, shown at once", format: "v4a", answer: "V4A", isShown: true },
  {
    name: "search/replace, shown",
    format: "search_replace",
    answer: "search/replace",
    isShown: true,
  },
];
const made = Object.entries(slips).filter(([, slip]) => slip.base === undefined);

const table = {};
for (const way of ways) {
  const total = {
    sessions: 0,
    valid: 0,
    exact: 0,
    calls: 0,
    tokens: 0,
    withSlip: { sessions: 0, calls: 0 },
  };
  for (const row of rows) {
    for (const [name, slip] of made) {
      const result = await session(row, way, slip.answer);
      total.sessions += 1;
      total.valid += Number(result.isValid);
      total.exact += Number(result.isExact);
      total.calls += result.calls;
      total.tokens += result.tokens;
      total.withSlip.sessions += Number(name !== "none");
      total.withSlip.calls += name === "none" ? 0 : result.calls;
    }
  }
  table[way.name] = {
    sessions: total.sessions,
    "valid %": round((100 * total.valid) / total.sessions),
    "exact %": round((100 * total.exact) / total.sessions),
    "calls a plan": round(total.calls / total.sessions),
    "with a slip": round(total.withSlip.calls / total.withSlip.sessions),
    "tokens a plan": Math.round(total.tokens / total.sessions),
  };
}
console.table(table);

async function session(row, way, slip) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-calls-"));
  const file = path.join(root, row.path);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, row.base);
  const model = recordedModel(row, way, slip);
  const workspace = await openWorkspace({ root, durability: "off" });
  try {
    const plans = createPlanSession({ model, workspace, root, editFormat: way.format });
    const files = way.isShown ? [row.path] : [];
    const proposal = await plans.apply("Make the change.", { files });
    const isApplied = proposal.ok && (await plans.commit(proposal.value)).ok;
    const isExact = isApplied && fs.readFileSync(file, "utf8") === row.wanted;
    return { isValid: proposal.ok, isExact, calls: model.calls, tokens: model.tokens };
  } finally {
    await workspace.close();
    fs.rmSync(root, { recursive: true });
  }
}

function recordedModel(row, { answer: name, isShown }, slip) {
  const sha256 = createHash("sha256").update(row.base).digest("hex");
  const clean = row.answers[name].replaceAll(
    /"base_sha256":"[0-9a-f]*"/g,
    `"base_sha256":"${sha256}"`,
  );
  const request = {
    context_requests: [{ type: "read_file", path: row.path }],
    actions: [],
    summary: "I need the file.",
  };
  const answers = [...(isShown ? [] : [JSON.stringify(request)]), slip(clean, name)];
  return {
    provider: "recorded",
    modelId: "recorded",
    calls: 0,
    tokens: 0,
    async generate({ messages }) {
      const text = answers[this.calls] ?? clean;
      this.calls += 1;
      this.tokens += estimatedCounter.countMessages(messages) + estimatedCounter.count(text);
      return {
        text,
        toolCalls: [],
        finishReason: "stop",
        usage: { inputTokens: 0, outputTokens: 0 },
        model: "recorded",
      };
    },
  };
}

function round(value) {
  return Math.round(value * 100) / 100;
}
