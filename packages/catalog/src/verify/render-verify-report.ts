import { inertText } from "../record/inert-text.ts";
import type { VerifyFinding, VerifyReport, VerifySeverity } from "./verify-report.ts";

const order: readonly VerifySeverity[] = ["unverified", "breaking", "warning", "notice"];
const verdicts = [
  "The catalog is up to date.",
  "The catalog is not what its sources are.",
  "Not everything could be verified.",
];

/** Maximum number of findings to list, worst first. The rest are only counted. */
const maxFindings = 200;
/** A notice shared by more resources than this is shown once, with the first of them. */
const maxAlike = 3;

/**
 * Renders a report for people, worst findings first. Findings that many resources share are shown
 * once. Names from sources cannot break out of their line.
 */
export function renderVerifyReport(report: VerifyReport): string {
  const chosen = gathered(report.findings).sort(
    (left, right) => order.indexOf(left.severity) - order.indexOf(right.severity),
  );
  const listed = chosen.slice(0, maxFindings);
  const lines = linesOf(report, listed);
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
    const [first, ...others] = alike.get(keyOf(finding)) ?? [];
    if (finding.severity !== "notice" || others.length < maxAlike) return [finding];
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

function linesOf(report: VerifyReport, findings: readonly VerifyFinding[]): string[] {
  const lines = [`${verdicts[report.exitCode] ?? ""} ${summaryOf(report)}`];
  let resource: string | undefined;
  for (const finding of findings) {
    if (finding.resourceId !== resource) lines.push("", inertText(finding.resourceId, 512));
    resource = finding.resourceId;
    const place = finding.path === undefined ? "" : ` ${finding.path}`;
    const mark = finding.isUpdated === true ? "updated" : finding.severity;
    const text = `${mark} ${finding.code}${place}: ${finding.message}${changeOf(finding)}`;
    lines.push(`  ${inertText(text, 1_000)}`);
  }
  return lines;
}
