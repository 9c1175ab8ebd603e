import type { AuditedKind, AuditReport } from "@ccl/gateway/audit";

import { formatCount, formatNumber, printable } from "./text.ts";
import { barOf } from "./progress.ts";
import type { Style } from "./style.ts";
import { type Column, renderTable } from "./table.ts";

const shownKinds = 15;

/** Renders the report as tables. */
export function auditText(report: AuditReport, style: Style): string {
  const { kinds, breaks, examples, repeats, directUsd, reportedUsd, unpriced } = report;
  const sent = kinds.reduce((sum, { sentTokens }) => sum + sentTokens, 0);
  const section = (title: string, columns: Column[], rows: string[][]): string =>
    rows.length === 0 ? "" : `\n${style.colours.bold(title)}\n${renderTable(columns, rows, style)}`;
  const price = (name: string, usd: number): string[] => [
    name,
    dollars(usd),
    usd === directUsd ? "" : percent(usd / directUsd - 1),
  ];
  return [
    section(
      "What filled the prompts",
      ["what", ...numbers("count", "tokens", "sent", "share"), ""],
      kinds
        .slice(0, shownKinds)
        .map(({ kind, tool, count, tokens, sentTokens }) => [
          tool === undefined ? nameOf[kind] : `result of ${tool}`,
          ...[count, tokens, sentTokens].map(formatNumber),
          percent(sentTokens / sent),
          ...(style.isTerminal ? [barOf(sentTokens / sent)] : []),
        ]),
    ),
    section(
      "What it cost and would have cost",
      ["input, cache counted", ...numbers("estimate", "net")],
      [
        price("as sent", directUsd),
        price("safe: loses nothing", report.safeUsd),
        price("full: old and large results in part", report.fullUsd),
      ],
    ),
    reportedUsd === undefined
      ? ""
      : `The provider reported input for ${dollars(reportedUsd)}; the prices above are estimates.\n`,
    unpriced === 0
      ? ""
      : `${formatCount(unpriced, "session")} without a known price of the model, missing from the cost; pass --price.\n`,
    `Results that repeat an earlier one, exactly or nearly: ${formatNumber(repeats.count)}, with ${formatNumber(repeats.tokens)} tokens.\n`,
    section(
      "What broke the cache",
      ["cause", ...numbers("times", "tokens", "extra")],
      breaks.map(({ cause, count, lostTokens, usd }) => [
        cause,
        ...[count, lostTokens].map(formatNumber),
        dollars(usd),
      ]),
    ),
    section(
      "Examples",
      ["form", ...numbers("tokens", "shown", "not sent"), "result of"],
      examples.map(({ tool, call, form, tokens, shownTokens, savedTokens }) => [
        form,
        ...[tokens, shownTokens, savedTokens].map(formatNumber),
        printable(`${tool} ${call}`).slice(0, 70),
      ]),
    ),
  ].join("");
}

const nameOf: Record<AuditedKind["kind"], string> = {
  tools: "tool definitions",
  system: "system prompt and tools",
  user: "user messages",
  assistant: "model messages",
  reasoning: "reasoning",
  call: "tool calls",
  result: "results",
  media: "images and other media",
};

const numbers = (...titles: string[]): Column[] => titles.map((right) => ({ right }));

/** Formats US dollars. */
export const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

/** Formats a share. Empty if it is not finite. */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "";
}
