import type { PlanRow, SqlResult } from "@ccl/query";

import { readCatalog } from "../catalog/read-catalog.ts";
import { usageError } from "../cli-error.ts";
import { formatCount, jsonOf, printableLines } from "../output/text.ts";
import { renderTable } from "../output/table.ts";
import { readInput } from "../plan/read-input.ts";
import { openQueryableCatalog, type CatalogQuery } from "../catalog/query-catalog.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl query`. */
interface QueryFlags {
  plan?: string | undefined;
  format?: "table" | "csv" | "json" | undefined;
  explain?: boolean | undefined;
  limitRows: number;
  timeoutMs: number;
}

/** Runs SQL or a query plan over the catalog's sources. */
export async function query(
  session: Session,
  sql: string | undefined,
  flags: QueryFlags,
): Promise<CommandResult> {
  if ((sql === undefined) === (flags.plan === undefined))
    throw usageError('Pass a SELECT, such as ccl query "select ...", or --plan <file>.');
  const { signal } = session;
  const plan =
    flags.plan === undefined ? undefined : await readInput(session, flags.plan, "the plan");
  const catalog = await openQueryableCatalog(session, await readCatalog(session));
  const asked: CatalogQuery = {
    sql,
    plan,
    limits: { rows: flags.limitRows, timeoutMs: flags.timeoutMs },
    signal,
  };
  try {
    if (flags.explain) {
      const explained = await catalog.explain(asked);
      return {
        document: explained,
        text: printableLines(`${explained.ranOn}\n${explained.text}\n`),
      };
    }
    return answerResult(await catalog.run(asked), flags.format);
  } finally {
    await catalog.close();
  }
}

function answerResult(answer: SqlResult, format: QueryFlags["format"]): CommandResult {
  const { columns, rows, ranOn, durationMs, total, doubts } = answer;
  const names = columns.map(({ name }) => name);
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  return {
    document: { columns, rows, ranOn, durationMs, total, doubts },
    text(style) {
      if (format === "json") return jsonOf(rows);
      if (format === "csv") return [names, ...cells].map(csvLine).join("");
      const titles = columns.map(({ name, type }) =>
        rows.every((row) => isNumberLike(row[name], type)) ? { right: name } : name,
      );
      return renderTable(titles, cells, style);
    },
    note: [
      `${formatCount(rows.length, "row")}${total === undefined ? "" : ` of ${total}`} from ${printableLines(ranOn)} in ${Math.round(durationMs)} ms`,
      ...doubts.map(printableLines),
      "",
    ].join("\n"),
  };
}

/** Writes a CSV line as defined by RFC 4180. */
function csvLine(cells: readonly string[]): string {
  const written = cells.map((cell) =>
    /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${written.join(",")}\n`;
}

function cellText(value: PlanRow[string] | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function isNumberLike(value: PlanRow[string] | undefined, type: string | undefined): boolean {
  return (
    value === null || typeof value === "number" || typeof value === "bigint" || type === "decimal"
  );
}
