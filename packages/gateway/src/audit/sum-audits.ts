import {
  addAudited,
  type AuditedKind,
  type AuditExample,
  type SessionAudit,
} from "./audit-transcript.ts";

/** The totals of all sessions. Money is in US dollars at list prices. */
export interface AuditReport {
  sessions: number;
  calls: number;
  kinds: AuditedKind[];
  repeats: { count: number; tokens: number };
  breaks: { cause: string; count: number; lostTokens: number; usd: number }[];
  /** Input cost according to the provider, for sessions that contain a report. */
  reportedUsd?: number | undefined;
  /** Input cost of all sessions by the price model: as sent, under `safe`, and under `full`. */
  directUsd: number;
  safeUsd: number;
  fullUsd: number;
  /** Sessions whose model has no known price. Excluded from the costs. */
  unpriced: number;
  examples: AuditExample[];
}

/** Adds up the audits of sessions. */
export function sumAudits(audits: readonly SessionAudit[]): AuditReport {
  const sumOf = (valueOf: (audit: SessionAudit) => number): number =>
    audits.reduce((sum, audit) => sum + valueOf(audit), 0);
  const usd = (price: (audit: SessionAudit) => number): number =>
    sumOf((audit) => (price(audit) * audit.price.usdPerMillion) / 1e6);
  const kinds = new Map<string, AuditedKind>();
  const breaks = new Map<string, AuditReport["breaks"][number]>();
  for (const audit of audits) {
    for (const audited of audit.kinds) addAudited(kinds, audited);
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
    examples: audits
      .flatMap(({ examples }) => examples)
      .sort((a, b) => b.savedTokens - a.savedTokens)
      .slice(0, 10),
  };
}
