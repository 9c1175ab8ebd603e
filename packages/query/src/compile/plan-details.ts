import type { Catalog, Principal, ResourceDetails } from "@ccl/catalog";
import type { LogicalPlan } from "../plan/logical-plan.ts";

/** Who asks the catalog. */
export interface PlanDetailsOptions {
  /** The role `public` where absent. */
  principal?: Principal | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Whole cards of a plan's resources, or of ids, as one principal sees them: the catalog's own rules decide, and what they
 * deny is left out, so that a plan that names it is refused. Further rules of `access` come on top.
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
