import type { Issue } from "@ccl/core";
import type { ResourceDetails, ResourceSnippet } from "@ccl/catalog";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { validateLogicalPlan } from "../validate/validate-logical-plan.ts";

/**
 * Creates a linter for `ir` snippets, to pass in `snippetLinters` of `verifyCatalog`. A snippet must parse as a
 * plan and be valid for its resource, which a bare `scan` reads. `details` contains other resources that snippets
 * may join.
 */
export function irSnippetLinter(
  details: Iterable<ResourceDetails> = [],
): (snippet: ResourceSnippet, context: { resource: ResourceDetails }) => Issue[] {
  const others = [...details];
  return ({ code }, { resource }) => {
    const parsed = parseLogicalPlan(code, { resource: resource.id });
    if (!parsed.ok) return parsed.issues;
    const known = [resource, ...others.filter(({ id }) => id !== resource.id)];
    const checked = validateLogicalPlan(parsed.value, { details: known });
    return checked.ok ? checked.value.warnings : checked.issues;
  };
}
