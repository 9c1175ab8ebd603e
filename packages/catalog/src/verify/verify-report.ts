/** `unverified`: it could not be found out; `breaking`: what the catalog says is wrong; the others are for reading. */
export type VerifySeverity = "unverified" | "breaking" | "warning" | "notice";

/** What was found. The set is closed for a major version. */
export type VerifyCode =
  /** The source did not answer in time, or at all. */
  | "timed_out"
  | "unreachable"
  /** The card is not given to the principal. */
  | "card_denied"
  /** No probe is for the uri, or there is none. */
  | "not_probed"
  /** The source answers, and has no such resource. */
  | "missing"
  /** The source has it, and the catalog does not. */
  | "resource_added"
  | "column_added"
  | "column_removed"
  | "column_renamed"
  | "type_changed"
  | "nulls_allowed"
  | "key_changed"
  /** The principal does not see all columns, so that added ones can't be told. */
  | "columns_hidden"
  /** Fields of the digest that the columns do not have. */
  | "digest_stale"
  | "snippet_syntax"
  | "snippet_unknown_table"
  | "snippet_unknown_column"
  | "snippet_writes"
  | "snippet_anti_pattern"
  /** What a linter of the caller says. */
  | "snippet_issue"
  /** No linter is for the engine, or the snippet is abridged. */
  | "snippet_unchecked"
  | "linter_failed"
  | "update_failed";

/** One thing that was found of one resource. */
export interface VerifyFinding {
  severity: VerifySeverity;
  code: VerifyCode;
  resourceId: string;
  /** Like `columns.amount` or `usage.snippets.0`. */
  path?: string | undefined;
  /** One sentence, with what offends. */
  message: string;
  /** What the catalog says. */
  from?: string | undefined;
  /** What the source says. */
  to?: string | undefined;
  /** True where the catalog was brought up to date, so that the finding no longer counts. */
  isUpdated?: boolean | undefined;
}

/** What a verification found, in the order of ids and codes. */
export interface VerifyReport {
  /** Resources looked at. */
  resources: number;
  /** Of these, those whose source was asked and answered. */
  probed: number;
  /** Snippets that a linter looked at. */
  snippets: number;
  findings: VerifyFinding[];
  /** Findings that count, by severity. */
  counts: Record<VerifySeverity, number>;
  /** Resources that were brought up to date, registered or removed. */
  updated: string[];
  /** 0: the catalog is true; 1: it is not; 2: that could not be found out of everything. */
  exitCode: 0 | 1 | 2;
}

/** What bringing a resource up to date does away with. */
export const driftCodes: ReadonlySet<VerifyCode> = new Set<VerifyCode>([
  "column_added",
  "column_removed",
  "column_renamed",
  "type_changed",
  "nulls_allowed",
  "key_changed",
  "digest_stale",
  "resource_added",
]);

/** Counts findings and decides on the exit code. */
export function createVerifyReport(
  findings: readonly VerifyFinding[],
  totals: Pick<VerifyReport, "resources" | "probed" | "snippets" | "updated">,
): VerifyReport {
  const counts: Record<VerifySeverity, number> = {
    unverified: 0,
    breaking: 0,
    warning: 0,
    notice: 0,
  };
  for (const finding of findings) if (finding.isUpdated !== true) counts[finding.severity] += 1;
  const exitCode = counts.unverified > 0 ? 2 : counts.breaking > 0 ? 1 : 0;
  return { ...totals, findings: [...findings], counts, exitCode };
}
