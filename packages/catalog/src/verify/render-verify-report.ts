import { inertText } from "../record/inert-text.ts";
import type { VerifyFinding, VerifyReport, VerifySeverity } from "./verify-report.ts";

/** Options of `renderVerifyReport`. */
export interface RenderVerifyReportOptions {
  /** `text` (default) for a terminal, `markdown` for a comment or a page. */
  format?: "text" | "markdown" | undefined;
}

const order: readonly VerifySeverity[] = ["unverified", "breaking", "warning", "notice"];
const verdicts = [
  "The catalog is up to date.",
  "The catalog is not what its sources are.",
  "Not everything could be verified.",
];

/** Maximum number of findings listed, worst first. The rest are only counted. */
const maxFindings = 200;
/** A notice that applies to more resources than this is shown once, with the first of them. */
const maxAlike = 3;

/**
 * Renders a report for people, worst findings first. Findings that many resources share are shown
 * once. Names from sources cannot break out of their line or become markup.
 */
export function renderVerifyReport(
  report: VerifyReport,
  options: RenderVerifyReportOptions = {},
): string {
  const { format = "text" } = options;
  const chosen = gathered(report.findings).sort(
    (left, right) => order.indexOf(left.severity) - order.indexOf(right.severity),
  );
  const listed = chosen.slice(0, maxFindings);
  const lines = format === "markdown" ? markdownLines(report, listed) : textLines(report, listed);
  if (chosen.length > listed.length)
    lines.push("", `[... ${chosen.length - listed.length} more not listed ...]`);
  return `${lines.join("\n")}\n`;
}

function gathered(findings: readonly VerifyFinding[]): VerifyFinding[] {
  const keyOf = ({ code, message, from, to }: VerifyFinding): string =>
    JSON.stringify([code, message, from, to]);
  const alike = new Map<string, VerifyFinding[]>();
  for (const finding of findings) {
    if (finding.severity !== "notice") continue;
    const others = alike.get(keyOf(finding));
    if (others === undefined) alike.set(keyOf(finding), [finding]);
    else others.push(finding);
  }
  return findings.flatMap((finding) => {
    const { path: _, ...shared } = finding;
    const [first, ...others] =
      finding.severity === "notice" ? (alike.get(keyOf(finding)) ?? []) : [];
    if (others.length < maxAlike) return [finding];
    return finding === first
      ? [{ ...shared, resourceId: `${first.resourceId} and ${others.length} more` }]
      : [];
  });
}

function summaryOf({ resources, probed, snippets, counts, updated }: VerifyReport): string {
  const parts = order
    .filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity]} ${severity}`);
  const refreshed = updated.length > 0 ? `, brought up to date: ${updated.length}` : "";
  const looked = `resources: ${resources}, probed: ${probed}, snippets checked: ${snippets}${refreshed}`;
  return `${looked}; ${parts.join(", ") || "no findings"}`;
}

function changeOf({ from, to }: VerifyFinding): string {
  if (from === undefined && to === undefined) return "";
  return ` (${from ?? "nothing"} -> ${to ?? "nothing"})`;
}

function textLines(report: VerifyReport, findings: readonly VerifyFinding[]): string[] {
  const lines = [`${verdicts[report.exitCode] ?? ""} ${summaryOf(report)}`];
  let resource: string | undefined;
  for (const finding of findings) {
    if (finding.resourceId !== resource) lines.push("", inertText(finding.resourceId, 512));
    resource = finding.resourceId;
    const place = finding.path === undefined ? "" : ` ${finding.path}`;
    const mark = finding.isUpdated === true ? "updated" : finding.severity;
    lines.push(
      inertText(
        `  ${mark} ${finding.code}${place}: ${finding.message}${changeOf(finding)}`,
        1_000,
      ).replace(/^/, "  "),
    );
  }
  return lines;
}

function markdownLines(report: VerifyReport, findings: readonly VerifyFinding[]): string[] {
  const lines = [`**${verdicts[report.exitCode] ?? ""}** ${summaryOf(report)}`];
  if (findings.length === 0) return lines;
  lines.push("", "| severity | resource | where | what |", "| --- | --- | --- | --- |");
  for (const finding of findings) {
    const mark = finding.isUpdated === true ? "updated" : finding.severity;
    const cells = [
      mark,
      finding.resourceId,
      finding.path ?? "",
      `${finding.code}: ${finding.message}${changeOf(finding)}`,
    ];
    lines.push(`| ${cells.map((cell) => escapedCell(inertText(cell, 1_000))).join(" | ")} |`);
  }
  return lines;
}

/** Escapes everything that Markdown or HTML could read as markup. */
function escapedCell(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+!|~&@]/g, (character) => `\\${character}`);
}
