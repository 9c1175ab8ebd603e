import {
  formatCount,
  type Result,
  sha8,
  success,
  type TokenCounter,
  truncateMiddle,
} from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";
import { editedPaths, type PlanPreview, type ValidPlan } from "@ccl/plan-protocol";
import type { FileWorkspace } from "@ccl/plan-protocol/node";
import { inputRequired, inputResponse } from "@modelcontextprotocol/server";

import { issuesError, type ServerToolCall, type ToolAnswer, toolError } from "./server-tool.ts";

/** The context in which one call checks a plan. */
export interface PlanCall {
  workspace: FileWorkspace;
  counter: TokenCounter;
  call: ServerToolCall;
}

const previewTokens = 3_000;

/** Runs `plan_preview`. */
export async function previewPlan(input: JsonRecord, call: PlanCall): Promise<ToolAnswer> {
  const checked = await previewOf(String(input["plan"]), call);
  return checked.ok ? previewText(checked.value, call.counter) : issuesError(checked.issues);
}

/** Runs `plan_apply`. */
export async function applyPlan(input: JsonRecord, plan: PlanCall): Promise<ToolAnswer> {
  const { workspace, counter, call } = plan;
  const checked = await previewOf(String(input["plan"]), plan);
  if (!checked.ok) return issuesError(checked.issues);
  const { plan: valid, preview } = checked.value;
  if (input["planHash"] !== preview.planHash)
    return toolError(
      `The plan or the files changed since the preview: the hash is now ${preview.planHash}. Call plan_preview again and read its diff.`,
    );
  const key = `agree-${sha8(preview.planHash)}`;
  const answer = inputResponse(call.context.mcpReq.inputResponses, key);
  if (answer.kind === "missing") {
    if (!call.canAsk)
      return toolError(
        "Nothing was written: this client can't ask its user (it has no elicitation). Let the user run `ccl plan apply` on the plan instead.",
      );
    const message = truncateMiddle(
      `Apply ${formatCount(preview.changes.length, "change")}?\n${previewText(checked.value, counter)}`,
      { maxTokens: previewTokens, counter },
    ).text;
    const requestedSchema = {
      type: "object" as const,
      properties: { apply: { type: "boolean" as const, title: "Apply these changes" } },
      required: ["apply"],
    };
    return inputRequired({
      inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema }) },
    });
  }
  const isAgreed =
    answer.kind === "elicit" && answer.action === "accept" && answer.content?.["apply"] === true;
  if (!isAgreed) return toolError("Nothing was written: the user did not agree.");
  const applied = await workspace.apply(valid, { confirm: preview.planHash, signal: call.signal });
  if (!applied.ok) return issuesError(applied.issues);
  const { transactionId, changes } = applied.value;
  const lines = changes.map(({ kind, path }) => `${kind} ${path}\n`);
  return `${lines.join("")}applied as ${transactionId}; \`ccl plan rollback\` undoes it`;
}

interface CheckedPlan {
  plan: ValidPlan;
  preview: PlanPreview;
}

/** Previews a plan in the protocol's format, or edits in a format that coding models use. */
async function previewOf(
  text: string,
  { workspace, call: { signal } }: PlanCall,
): Promise<Result<CheckedPlan>> {
  const paths = editedPaths(text, { root: workspace.root });
  const requests = paths.map((path) => ({ type: "read_file" as const, path }));
  await workspace.read(requests, { signal });
  const proposed = workspace.propose(text);
  if (!proposed.ok) return proposed;
  const { plan } = proposed.value;
  const preview = await workspace.preview(plan, { signal });
  return preview.ok ? success({ plan, preview: preview.value }) : preview;
}

function previewText({ plan: { summary }, preview }: CheckedPlan, counter: TokenCounter): string {
  const { planHash, changes, remarks } = preview;
  const diff = changes.map((change) => `${change.kind} ${change.path}\n${change.diff}`).join("\n");
  const risks = changes.flatMap(({ path, risks: marks }) =>
    marks.length === 0 ? [] : [`${path}: ${marks.map(({ kind }) => kind).join(", ")}`],
  );
  const shown = truncateMiddle(diff, { maxTokens: previewTokens, counter }).text;
  const warning = risks.length === 0 ? "" : `\ncheck with care: ${risks.join("; ")}`;
  return [`planHash ${planHash}\n${summary}\n${shown}${warning}`, ...remarks].join("\n");
}
