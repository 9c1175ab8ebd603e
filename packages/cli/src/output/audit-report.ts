import type { AuditedKind, AuditExample, SessionAudit } from "@ccl/gateway/audit";

import { formatNumber } from "./format-number.ts";
import { printable } from "./printable.ts";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";

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
  const { colours } = style;
  const sent = report.kinds.reduce((sum, { sentTokens }) => sum + sentTokens, 0);
  const title = (text: string): string => `\n${colours.bold(text)}\n`;
  const kinds = renderTable(
    [{ title: "what" }, right("count"), right("tokens"), right("sent"), right("share")],
    report.kinds
      .slice(0, shownKinds)
      .map(({ kind, tool, count, tokens, sentTokens }) => [
        tool === undefined ? nameOf[kind] : `result of ${tool}`,
        formatNumber(count),
        formatNumber(tokens),
        formatNumber(sentTokens),
        percent(sentTokens / sent),
      ]),
    style,
  );
  const price = (name: string, usd: number): string[] => [
    name,
    `$${usd.toFixed(2)}`,
    usd === report.directUsd ? "" : percent(usd / report.directUsd - 1),
  ];
  const money = renderTable(
    [{ title: "input, cache counted" }, right("price"), right("net")],
    [
      price("as it was sent", report.directUsd),
      price("safe: without losing anything", report.safeUsd),
      price("full: old and large results in part", report.fullUsd),
    ],
    style,
  );
  return [
    title("What filled the prompts"),
    kinds,
    title("What it cost and would have cost"),
    money,
    report.reportedUsd === undefined
      ? ""
      : `The provider reported input for $${report.reportedUsd.toFixed(2)}; the prices above are estimates.\n`,
    report.unpriced === 0
      ? ""
      : `${report.unpriced} sessions are of models without a known price and not in the money; name it with --price.\n`,
    `${formatNumber(report.repeats.count)} results said what an earlier one had said, or nearly: ${formatNumber(report.repeats.tokens)} tokens.\n`,
    breaksText(report, style),
    examplesText(report, style),
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

function breaksText({ breaks }: AuditReport, style: Style): string {
  if (breaks.length === 0) return "";
  const rows = breaks.map(({ cause, count, lostTokens, usd }) => [
    cause,
    formatNumber(count),
    formatNumber(lostTokens),
    `$${usd.toFixed(2)}`,
  ]);
  const columns = [{ title: "cause" }, right("times"), right("tokens"), right("extra")];
  return `\n${style.colours.bold("What broke the cache")}\n${renderTable(columns, rows, style)}`;
}

function examplesText({ examples }: AuditReport, style: Style): string {
  if (examples.length === 0) return "";
  const rows = examples.map(({ tool, call, form, tokens, shownTokens, savedTokens }) => [
    form,
    formatNumber(tokens),
    formatNumber(shownTokens),
    formatNumber(savedTokens),
    printable(`${tool} ${call}`).slice(0, 70),
  ]);
  const columns = [
    { title: "form" },
    right("tokens"),
    right("shown"),
    right("not sent"),
    { title: "result of" },
  ];
  return `\n${style.colours.bold("Examples")}\n${renderTable(columns, rows, style)}`;
}

function right(title: string): { title: string; align: "right" } {
  return { title, align: "right" };
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "";
}
