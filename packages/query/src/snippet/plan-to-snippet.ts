import type { ResourceSnippet } from "@ccl/catalog";
import { sql } from "kysely";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { QueryError } from "../query-error.ts";
import { renderLogicalPlan } from "../render/render-logical-plan.ts";
import { compileFragment } from "../sql/compile-fragment.ts";
import { postgresDialect } from "../sql/postgres-dialect.ts";
import { tableOf, takesStep } from "../sql/sql-connector.ts";
import { sqliteSnippetDialect } from "../sql/sqlite-dialect.ts";
import { validateLogicalPlan, type ValidateOptions } from "../validate/validate-logical-plan.ts";
import { inlineParameters } from "./inline-parameters.ts";
import { renderArrow } from "./render-arrow.ts";

/** What a snippet may be in: `ir` in arrows, or YAML where arrows cannot say it, and the SQL of a database. */
export type SnippetEngine = "ir" | "postgresql" | "sqlite";

/**
 * A plan as ready code for a card. SQL needs the details, and all resources in one database.
 * @throws QueryError `plan_invalid`; `invalid_options` for SQL without details, and for a plan that the database would not
 * compute as it is meant
 */
export function planToSnippet(
  plan: LogicalPlan,
  engine: SnippetEngine,
  options: { title?: string | undefined; details?: ValidateOptions["details"] | undefined } = {},
): ResourceSnippet {
  const { title, details } = options;
  const head = title === undefined ? {} : { title };
  if (engine === "ir")
    return { engine, code: renderArrow(plan) ?? renderLogicalPlan(plan), ...head };
  if (details === undefined)
    throw new QueryError("invalid_options", "SQL needs the details of the plan's resources.");
  const checked = validateLogicalPlan(plan, { details });
  if (!checked.ok) {
    const reasons = checked.issues.slice(0, 3).map(({ message }) => message);
    throw new QueryError("plan_invalid", `The plan is not valid: ${reasons.join(" ")}`, {
      details: { issues: checked.issues },
    });
  }
  const { steps, columns } = checked.value;
  const resources = steps.flatMap((step) => (step.op === "scan" ? step.resource : []));
  const untaken = steps.find((step) => !takesStep(step, resources, engine));
  if (untaken !== undefined) {
    const message = `${engine} does not compute step ${JSON.stringify(untaken.name)} as the plan means it; make a snippet of "ir".`;
    throw new QueryError("invalid_options", message, { details: { step: untaken.name } });
  }
  const isSqlite = engine === "sqlite";
  const query = compileFragment(
    { steps, columns },
    {
      dialect: isSqlite ? sqliteSnippetDialect : postgresDialect,
      parameters: isSqlite ? "question" : "numbered",
      tableOf: (scan) => sql.id(...tableOf(scan)),
      hasPlanNames: true,
    },
  );
  return { engine, code: inlineParameters(query.sql, query.parameters), ...head };
}
