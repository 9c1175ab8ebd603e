import type { Issue } from "@ccl/core";
import { loadSqlParser } from "@ccl/sql/parse";
import { inertText } from "../record/inert-text.ts";
import type { ResourceDetails, ResourceSnippet } from "../record/resource-record.ts";
import type { TableLookups } from "./create-table-lookup.ts";
import { lintSqlSnippet } from "./lint-sql-snippet.ts";
import type { ProbedCard } from "./probe-card.ts";
import { runWithin } from "./run-within.ts";
import { dialectOf } from "./snippet-dialect.ts";
import type { VerifyFinding } from "./verify-report.ts";

/** State needed to lint snippets. */
export interface LintContext {
  lookups: TableLookups;
  snippetLinters?: Readonly<Record<string, SnippetLinter>> | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Lints the snippets of all cards one by one. Loads the SQL parser when the first snippet needs it. */
export async function lintSnippets(
  cards: readonly ProbedCard[],
  context: LintContext,
): Promise<{ findings: VerifyFinding[]; checked: number }> {
  const findings: VerifyFinding[] = [];
  let checked = 0;
  for (const { details } of cards) {
    for (const [index, snippet] of (details?.usage?.snippets ?? []).entries()) {
      if (details === undefined) continue;
      context.signal.throwIfAborted();
      const place = { resourceId: details.id, path: `usage.snippets.${index}` };
      const linter = linterOf(context, snippet.engine);
      const dialect = dialectOf(snippet.engine, details.uri);
      if (linter === undefined && dialect === undefined) {
        const message = `No linter is for the engine ${JSON.stringify(inertText(snippet.engine, 60))}`;
        findings.push({ severity: "notice", code: "snippet_unchecked", message, ...place });
        continue;
      }
      checked += 1;
      if (linter !== undefined) {
        const found = await runLinter(linter, snippet, { details, context });
        findings.push(...found.map((finding) => ({ ...finding, ...place })));
        continue;
      }
      const options = {
        parser: await loadSqlParser(),
        dialect: dialect ?? "generic",
        lookup: context.lookups(details),
        antiPatterns: details.usage?.anti_patterns ?? [],
      };
      findings.push(
        ...lintSqlSnippet(snippet, options).map((finding) => ({ ...finding, ...place })),
      );
    }
  }
  return { findings, checked };
}

function linterOf({ snippetLinters = {} }: LintContext, engine: string): SnippetLinter | undefined {
  const name = engine.toLowerCase();
  return Object.hasOwn(snippetLinters, name) ? snippetLinters[name] : undefined;
}

async function runLinter(
  linter: SnippetLinter,
  snippet: ResourceSnippet,
  { details, context }: { details: ResourceDetails; context: LintContext },
): Promise<Omit<VerifyFinding, "resourceId">[]> {
  const call = async (signal: AbortSignal) => linter(snippet, { resource: details, signal });
  const outcome = await runWithin(call, context);
  if (outcome.state === "done") {
    return outcome.value.map(({ code, message, severity }) => ({
      severity: severity === "warning" ? "warning" : "breaking",
      code: "snippet_issue",
      message: inertText(`${code}: ${message}`, 400),
    }));
  }
  const reason =
    outcome.state === "failed"
      ? String(outcome.error)
      : `it had no answer within ${context.timeoutMs} ms`;
  const message = `The linter of ${inertText(snippet.engine, 60)} failed: ${inertText(reason, 300)}`;
  return [{ severity: "unverified", code: "linter_failed", message }];
}

/** Lints snippets of one engine, such as `ir`. Returns the problems, or nothing if there are none. */
export type SnippetLinter = (
  snippet: ResourceSnippet,
  context: { resource: ResourceDetails; signal: AbortSignal },
) => Promise<Issue[]> | Issue[];
