import type { Catalog, Principal, ResourceDetails } from "@ccl/catalog";
import type { LogicalPlan } from "../plan/logical-plan.ts";

/** Options of `planDetails`. */
export interface PlanDetailsOptions {
  /** Defaults to the role `public`. */
  principal?: Principal | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Returns the details of the resources that a plan scans, or of the given ids, as one principal
 * sees them. The catalog's own access rules decide. A denied resource is left out, so a plan that
 * names it is invalid. The rules of `access` apply as well.
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
  return items.map((card) => {
    const { truncated: _, total: __, next: ___, stale_digest: ____, ...details } = card;
    return details;
  });
}
