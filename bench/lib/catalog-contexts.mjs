// Catalogs with records of a set, and what contexts of few tokens contain if other engines choose.
import { createCatalog } from "../../packages/catalog/dist/index.js";
import { inputOf } from "./catalog-sets.mjs";

const clock = { now: () => 0 };
/** More than the largest budget has rows for. */
const mostHits = 300;

/** A catalog with the records. Any warning is an error here. */
export async function openCatalog(records, options = {}) {
  const catalog = createCatalog({ embedTimeoutMs: 600_000, clock, ...options });
  const registered = await catalog.register(records.map(inputOf));
  const problems = registered.ok ? registered.value.warnings : registered.issues;
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return catalog;
}

/** Contexts of the catalog with the resources that another engine has found, in its order. */
export function contextsOf(catalog, search) {
  return async ({ task, budget }) => {
    return catalog.budgetedContext({ task, budget, candidates: await search(task, mostHits) });
  };
}
