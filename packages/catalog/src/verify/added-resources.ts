import { inertText } from "../record/inert-text.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import type { ProbedCard } from "./probe-card.ts";
import type { VerifyFinding } from "./verify-report.ts";

/**
 * Returns the resources that the sources have and the catalog lacks, without duplicates. A resource whose uri the
 * catalog lists under another id is not new.
 */
export function addedResources(cards: readonly ProbedCard[]): ResourceInput[] {
  const known = new Set(cards.flatMap(({ details }) => [details?.id, details?.uri]));
  const added = new Map<string, ResourceInput>();
  for (const siblings of new Set(cards.map((card) => card.added)))
    for (const sibling of siblings ?? [])
      if (!known.has(sibling.id) && !known.has(sibling.uri ?? sibling.id))
        added.set(sibling.id, sibling);
  return [...added.values()];
}

/** Returns the finding for an added resource. */
export function addedFinding({ id, title }: ResourceInput): VerifyFinding {
  const message = `The source has ${JSON.stringify(inertText(title, 200))}, and the catalog does not`;
  return { severity: "warning", code: "resource_added", resourceId: id, message };
}
