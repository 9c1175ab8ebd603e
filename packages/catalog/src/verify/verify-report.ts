/** `unverified`: the check was not possible. `breaking`: the catalog is wrong. The others are informational. */
export type VerifySeverity = "unverified" | "breaking" | "warning" | "notice";

/** The kinds of findings. The set changes only with a major version. */
export type VerifyCode =
  /** The source failed or did not answer in time. */
  | "timed_out"
  | "unreachable"
  /** The principal may not see the card. */
  | "card_denied"
  /** No probe handles the uri, or the resource has no uri. */
  | "not_probed"
  /** The source answered, but does not have the resource. */
  | "missing"
  /** The source has the resource, but the catalog does not. */
  | "resource_added"
  | "column_added"
  | "column_removed"
  | "column_renamed"
  | "type_changed"
  | "nulls_allowed"
  | "key_changed"
  /** The principal does not see all columns, so added ones cannot be recognized. */
  | "columns_hidden"
  /** Digest fields do not match any column. */
  | "digest_stale"
  | "snippet_syntax"
  | "snippet_unknown_table"
  | "snippet_unknown_column"
  | "snippet_writes"
  | "snippet_anti_pattern"
  /** Reported by one of the caller's linters. */
  | "snippet_issue"
  /** There is no linter for the engine, or the snippet is abridged. */
  | "snippet_unchecked"
  | "linter_failed"
  | "update_failed";

/** One finding about one resource. */
export interface VerifyFinding {
  severity: VerifySeverity;
  code: VerifyCode;
  resourceId: string;
  /** For example, `columns.amount` or `usage.snippets.0`. */
  path?: string | undefined;
  /** One sentence that names the cause. */
  message: string;
  /** The value in the catalog. */
  from?: string | undefined;
  /** The value in the source. */
  to?: string | undefined;
  /** True if the catalog was updated, which resolves the finding. */
  isUpdated?: boolean | undefined;
}

/** The result of a verification, ordered by id and code. */
export interface VerifyReport {
  /** Number of resources checked. */
  resources: number;
  /** Number of resources for which the source answered. */
  probed: number;
  /** Number of snippets that were linted. */
  snippets: number;
  findings: VerifyFinding[];
  /** Unresolved findings, by severity. */
  counts: Record<VerifySeverity, number>;
  /** Ids of resources that were updated, registered or removed. */
  updated: string[];
  /** 0: the catalog is correct. 1: it is not. 2: not everything could be checked. */
  exitCode: 0 | 1 | 2;
}

/** Codes of findings that updating the resource resolves. */
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

/** Counts findings and sets the exit code. */
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
