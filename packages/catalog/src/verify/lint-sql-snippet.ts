import { countOperators, maxOperators, type SqlParser } from "@ccl/sql/parse";
import { inertText } from "../record/inert-text.ts";
import type { ResourceSnippet } from "../record/resource-record.ts";
import { rulesOf, type AntiPatternRule } from "../record/anti-pattern-rules.ts";
import { readSql } from "./read-sql.ts";
import type { SqlFacts, SqlReading, TableLookup } from "./sql-facts.ts";
import type { VerifyFinding } from "./verify-report.ts";

type SnippetFinding = Omit<VerifyFinding, "resourceId">;

/** Options of `lintSqlSnippet`. */
interface LintSqlOptions {
  parser: SqlParser;
  dialect: string;
  lookup: TableLookup;
  /** Anti-patterns of the snippet's resource. The linter adds those of the tables that the snippet names. */
  antiPatterns: readonly string[];
}

const longestSnippet = 100_000;
/** Row count from which a query on a table needs a limit. */
const maxUnlimitedRows = 1_000_000;

/** Finds problems in an SQL snippet: syntax errors, unknown names, and the resources' anti-patterns. */
export function lintSqlSnippet(
  snippet: ResourceSnippet,
  options: LintSqlOptions,
): SnippetFinding[] {
  const { code } = snippet;
  if (/\.\.\.|…/.test(code))
    return unchecked("The snippet is abridged, so that it can't be checked or run; write it out");
  if (code.length > longestSnippet || countOperators(code) > maxOperators)
    return unchecked("The snippet is too long to be checked; shorten it");
  let reading: SqlReading;
  try {
    reading = readSql(options.parser.parse(code, options.dialect), options.lookup);
  } catch (error) {
    const reason = inertText(error instanceof Error ? error.message : String(error), 300);
    // The parser's syntax errors start like this. Any other failure proves nothing about the snippet.
    if (!reason.startsWith("sql parser error")) {
      const message = `The SQL parser failed: ${reason}`;
      return [{ severity: "unverified", code: "linter_failed", message }];
    }
    const message = `The snippet is not valid SQL (${options.dialect}): ${reason}`;
    return [{ severity: "breaking", code: "snippet_syntax", message }];
  }
  return [...nameFindings(reading), ...ruleFindings(reading, options)];
}

function unchecked(message: string): SnippetFinding[] {
  return [{ severity: "warning", code: "snippet_unchecked", message }];
}

function nameFindings({ problems, facts }: SqlReading): SnippetFinding[] {
  const findings: SnippetFinding[] = problems.map(({ code, name, isCertain }) => {
    const kind = code === "snippet_unknown_table" ? "table" : "column";
    const where = isCertain ? "there is none" : "the catalog has none";
    return {
      severity: isCertain ? "breaking" : "warning",
      code,
      message: `The snippet names the ${kind} ${JSON.stringify(inertText(name, 200))}, and ${where}`,
    };
  });
  if (facts.writes)
    findings.push({
      severity: "warning",
      code: "snippet_writes",
      message: "The snippet changes data",
    });
  return findings;
}

function ruleFindings({ facts, tables }: SqlReading, options: LintSqlOptions): SnippetFinding[] {
  const texts = new Set([
    ...options.antiPatterns,
    ...tables.flatMap((table) => table.antiPatterns),
  ]);
  const named = rulesOf([...texts]);
  const findings = new Map<AntiPatternRule["rule"], SnippetFinding>();
  for (const rule of named) {
    if (!isBroken(rule, facts)) continue;
    const message = `The snippet does what its resource says not to do: ${inertText(rule.text, 200)}`;
    findings.set(rule.rule, { severity: "breaking", code: "snippet_anti_pattern", message });
  }
  const { broken, unlimitedRows = 0 } = facts;
  const warn = (rule: AntiPatternRule["rule"], message: string): void => {
    if (!findings.has(rule))
      findings.set(rule, { severity: "warning", code: "snippet_anti_pattern", message });
  };
  if (broken.has("select_star"))
    warn("select_star", "The snippet asks for all columns; name those that are needed");
  if (unlimitedRows >= maxUnlimitedRows)
    warn("missing_limit", `The snippet reads a table of ${unlimitedRows} rows without a limit`);
  return [...findings.values()];
}

function isBroken(
  { rule, rows = 0 }: AntiPatternRule,
  { broken, unlimitedRows = -1 }: SqlFacts,
): boolean {
  return rule === "missing_limit" ? unlimitedRows >= rows : broken.has(rule);
}
