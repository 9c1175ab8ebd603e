import type { Catalog, Principal, ResourceDetails } from "@ccl/catalog";
import type { LogicalPlan } from "../plan/logical-plan.ts";

/** The principal that reads the catalog. */
export interface PlanDetailsOptions {
  /** The role `public` if absent. */
  principal?: Principal | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The full cards of a plan's resources, or of ids, as one principal sees them. The catalog's own rules decide. What they
 * deny is left out, so a plan that names it is refused. The rules of `access` apply in addition.
 */
export async function planDetails(
  catalog: Pick<Catalog, "details">,
  wanted: LogicalPlan | readonly string[],
  options: PlanDetailsOptions = {},
): Promise<ResourceDetails[]> {
  const ids =
    "steps" in wanted
      ? wanted.steps.flatMap((step) => (step.op === "scan" ? [step.resource] : []))
      : wanted;
  const { items } = await catalog.details([...new Set(ids)], {
    ...options,
    columnLimit: 10_000,
    snippetLimit: 100,
  });
  const ofWindows = new Set(["truncated", "total", "next", "stale_digest"]);
  return items.map((card) => {
    const { id, kind, title } = card;
    return {
      id,
      kind,
      title,
      ...Object.fromEntries(Object.entries(card).filter(([name]) => !ofWindows.has(name))),
    };
  });
}
