import type { FacetFilter, SearchFilter } from "@ccl/search";

import type { AccessOptions, Principal } from "../access/access-options.ts";
import { createVisibility, type Visibility } from "../access/create-visibility.ts";
import { resourceIdOf, seenVariant } from "../access/search-variants.ts";
import type { ResourceRecord } from "../record/resource-record.ts";

/** Records in memory. */
export interface HeldRecords {
  /** Changes whenever a record changes. */
  readonly version: number;
  get(id: string): ResourceRecord | undefined;
  /** Sorted by code units. */
  ids(): readonly string[];
}

/** The resources that one principal may find. */
export interface VisibleSet {
  visibility: Visibility;
  /** Ids of index entries that a search may return. Undefined means that it may return any entry. */
  allow: ReadonlySet<string> | undefined;
  /** Returns the record for an index entry or id, if it is visible. */
  get(id: string): ResourceRecord | undefined;
  /** Returns the record for an id, visible or not. Used for access decisions and audits. */
  recordOf(id: string): ResourceRecord | undefined;
  /** Returns the index entry under which a resource is found. */
  entryOf(id: string): string;
  /** Visible ids, sorted by code units. */
  ids(): readonly string[];
  filter(parts: {
    facets?: FacetFilter | undefined;
    exclude?: readonly string[] | undefined;
  }): SearchFilter;
}

interface Variants {
  /** Index entry by id. */
  entries: ReadonlyMap<string, string>;
  allow: ReadonlySet<string>;
}

/**
 * Maximum number of cached sets. There is one for each combination of roles, until the catalog
 * changes.
 */
const maxSets = 64;

/**
 * Creates a function that decides which records a principal may find. Caches the result unless a rule is a
 * function.
 */
export function createVisibleSets(
  resident: HeldRecords,
  access: AccessOptions | undefined,
): (principal: Principal | undefined) => VisibleSet {
  const cached = new Map<string, { version: number; variants: Variants }>();
  return (principal) => {
    const visibility = createVisibility(access, principal, (id) => resident.get(id));
    if (visibility.isOpen) return visibleSet(resident, visibility, undefined);
    const { key } = visibility;
    const known = key === undefined ? undefined : cached.get(key);
    if (known?.version === resident.version)
      return visibleSet(resident, visibility, known.variants);
    const entries = new Map<string, string>();
    for (const id of resident.ids()) {
      const record = resident.get(id);
      const variant = record === undefined ? undefined : seenVariant(record, visibility);
      if (variant !== undefined) entries.set(id, variant);
    }
    const variants: Variants = { entries, allow: new Set(entries.values()) };
    if (key !== undefined) {
      if (cached.size >= maxSets) cached.clear();
      cached.set(key, { version: resident.version, variants });
    }
    return visibleSet(resident, visibility, variants);
  };
}

function visibleSet(
  resident: HeldRecords,
  visibility: Visibility,
  variants: Variants | undefined,
): VisibleSet {
  const { allow, entries } = variants ?? {};
  return {
    visibility,
    allow,
    get(id) {
      const resourceId = resourceIdOf(id);
      return entries === undefined || entries.has(resourceId)
        ? resident.get(resourceId)
        : undefined;
    },
    recordOf: (id) => resident.get(id),
    entryOf: (id) => entries?.get(id) ?? id,
    ids: () => (entries === undefined ? resident.ids() : [...entries.keys()]),
    filter({ facets, exclude }) {
      const excluded = exclude?.map((id) => entries?.get(id) ?? id);
      return { facets, exclude: excluded, allow };
    },
  };
}
