import type { AppliedPlan, PlanPreview, ValidPlan } from "@ccl/plan-protocol";

import { formatCount, printable, printableLines } from "../output/text.ts";
import type { Style } from "../output/style.ts";
import { renderTable } from "../output/table.ts";

const COLUMNS = ["action", "path", { right: "added" }, { right: "removed" }, "risks"];

/** Renders the diffs of a plan, then a table of its actions in execution order. */
export function renderPreview(plan: ValidPlan, preview: PlanPreview, style: Style): string {
  const { colours } = style;
  const diffs = preview.changes.map(({ diff }) => renderDiff(diff, style));
  const rows = preview.changes.map(({ kind, path, addedLines, removedLines, risks }) => [
    kind,
    path,
    addedLines,
    removedLines,
    risks.map((risk) => risk.kind).join(", "),
  ]);
  const summary = plan.summary === "" ? "" : `${printableLines(plan.summary)}\n`;
  const risks = preview.changes.flatMap((change) =>
    change.risks.map((risk) => `${change.path}: ${risk.message}`),
  );
  const remarks = preview.remarks.map((remark) => `${printable(remark)}\n`);
  const warnings = risks.map((risk) => `${colours.yellow("risk")} ${printable(risk)}\n`);
  return [...diffs, renderTable(COLUMNS, rows, style), ...warnings, ...remarks, summary].join("");
}

/** Colours of a unified diff's lines by their first characters. */
const DIFF_COLOURS = [
  ["--- ", "bold"],
  ["+++ ", "bold"],
  ["@@", "cyan"],
  ["+", "green"],
  ["-", "red"],
] as const;

/** Renders a unified diff, coloured on a terminal. Escapes control characters except tabs. */
function renderDiff(diff: string, { colours }: Style): string {
  return diff
    .split(/(?<=\n)/)
    .map((line) => {
      const end = line.endsWith("\n") ? "\n" : "";
      const text = line
        .slice(0, line.length - end.length)
        .split("\t")
        .map(printable)
        .join("\t");
      const colour = DIFF_COLOURS.find(([start]) => line.startsWith(start))?.[1];
      return (colour === undefined ? text : colours[colour](text)) + end;
    })
    .join("");
}

/** Describes what a transaction changed, and the results of its checks. */
export function renderApplied(
  { transactionId, changes, checks }: AppliedPlan,
  { colours }: Style,
): string {
  const lines = checks.map(({ name, status, durationMs }) => {
    const mark =
      status === "passed" ? colours.green("passed") : colours.yellow(status.replaceAll("_", " "));
    return `check ${printable(name)}: ${mark} in ${(durationMs / 1000).toFixed(1)} s\n`;
  });
  const undo = `"ccl plan rollback ${transactionId}" rolls it back.`;
  return `${lines.join("")}${colours.green("applied")} ${formatCount(changes.length, "change")}. ${undo}\n`;
}
