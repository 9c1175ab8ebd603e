import type { AuditedKind, AuditExample, SessionAudit } from "@ccl/gateway/audit";

import { formatNumber } from "./format-number.ts";
import { printable } from "./printable.ts";
import type { Style } from "./style.ts";
import { type Column, renderTable } from "./table.ts";

/** What all sessions together say. Money is in US dollars at list prices. */
export interface AuditReport {
  sessions: number;
  calls: number;
  kinds: AuditedKind[];
  repeats: { count: number; tokens: number };
  breaks: { cause: string; count: number; lostTokens: number; usd: number }[];
  /** Input as the provider reported it, of the sessions that say so. */
  reportedUsd?: number | undefined;
  /** Input of all sessions by the price model: as sent, without what loses anything, and in full. */
  directUsd: number;
  safeUsd: number;
  fullUsd: number;
  /** Sessions whose models have no known price; no money is counted for them. */
  unpriced: number;
  /** Sessions that would have cost more in `full`. */
  dearer: number;
  examples: AuditExample[];
}

/** Adds up sessions. */
export function sumAudits(audits: readonly SessionAudit[]): AuditReport {
  const sumOf = (valueOf: (audit: SessionAudit) => number): number =>
    audits.reduce((sum, audit) => sum + valueOf(audit), 0);
  const usd = (price: (audit: SessionAudit) => number): number =>
    sumOf((audit) => (price(audit) * audit.price.usdPerMillion) / 1e6);
  const kinds = new Map<string, AuditedKind>();
  const breaks = new Map<string, AuditReport["breaks"][number]>();
  for (const audit of audits) {
    for (const one of audit.kinds) {
      const key = `${one.kind} ${one.tool ?? ""}`;
      const sum = kinds.get(key);
      kinds.set(key, {
        ...one,
        count: one.count + (sum?.count ?? 0),
        tokens: one.tokens + (sum?.tokens ?? 0),
        sentTokens: one.sentTokens + (sum?.sentTokens ?? 0),
      });
    }
    for (const { cause, lostTokens, price } of audit.breaks) {
      const sum = breaks.get(cause) ?? { cause, count: 0, lostTokens: 0, usd: 0 };
      breaks.set(cause, sum);
      sum.count += 1;
      sum.lostTokens += lostTokens;
      sum.usd += (price * audit.price.usdPerMillion) / 1e6;
    }
  }
  const reported = audits.filter(({ reportedPrice }) => reportedPrice !== undefined);
  return {
    sessions: audits.length,
    calls: sumOf(({ calls }) => calls),
    kinds: [...kinds.values()].sort((a, b) => b.sentTokens - a.sentTokens),
    repeats: {
      count: sumOf(({ repeats }) => repeats.count),
      tokens: sumOf(({ repeats }) => repeats.tokens),
    },
    breaks: [...breaks.values()].sort((a, b) => b.usd - a.usd),
    reportedUsd: reported.length === 0 ? undefined : usd(({ reportedPrice = 0 }) => reportedPrice),
    directUsd: usd(({ directPrice }) => directPrice),
    safeUsd: usd(({ safePrice }) => safePrice),
    fullUsd: usd(({ fullPrice }) => fullPrice),
    unpriced: audits.filter(({ price }) => price.usdPerMillion === 0).length,
    dearer: audits.filter(({ fullPrice, directPrice }) => fullPrice > directPrice + 1).length,
    examples: audits
      .flatMap(({ examples }) => examples)
      .sort((a, b) => b.savedTokens - a.savedTokens)
      .slice(0, 10),
  };
}

const shownKinds = 15;

/** The report as tables. */
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
      ["what", ...numbers("count", "tokens", "sent", "share")],
      kinds
        .slice(0, shownKinds)
        .map(({ kind, tool, count, tokens, sentTokens }) => [
          tool === undefined ? nameOf[kind] : `result of ${tool}`,
          ...[count, tokens, sentTokens].map(formatNumber),
          percent(sentTokens / sent),
        ]),
    ),
    section(
      "What it cost and would have cost",
      ["input, cache counted", ...numbers("price", "net")],
      [
        price("as it was sent", directUsd),
        price("safe: without losing anything", report.safeUsd),
        price("full: old and large results in part", report.fullUsd),
      ],
    ),
    reportedUsd === undefined
      ? ""
      : `The provider reported input for ${dollars(reportedUsd)}; the prices above are estimates.\n`,
    unpriced === 0
      ? ""
      : `${unpriced} sessions are of models without a known price and not in the money; name it with --price.\n`,
    `${formatNumber(repeats.count)} results said what an earlier one had said, or nearly: ${formatNumber(repeats.tokens)} tokens.\n`,
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
  user: "words of the user",
  assistant: "words of the model",
  reasoning: "reasoning",
  call: "calls of tools",
  result: "results",
  media: "images and other media",
};

const numbers = (...titles: string[]): Column[] => titles.map((right) => ({ right }));

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

function percent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "";
}
