import type { ResourceColumn, ResourceRecord } from "../record/resource-record.ts";

/** The user or service on whose behalf a call runs. */
export interface Principal {
  /** For rules that are functions. */
  id?: string | undefined;
  /** Rights add up over the roles. A role that the catalog does not know grants nothing. */
  roles: readonly string[];
}

/** Which resources a right is for: those that match all the given fields. */
interface ResourceMatch {
  /** Ids. A `*` at the end matches any suffix. */
  ids?: readonly string[] | undefined;
  kinds?: readonly string[] | undefined;
  /** Matches a resource that has any of these tags. */
  tags?: readonly string[] | undefined;
  /** Matches the resource's `access.policy`. */
  policies?: readonly string[] | undefined;
}

/** A right: for all resources, none, some, or by a function. A function denies if it throws or does not return true. */
export type ResourceRule =
  | boolean
  | ResourceMatch
  | ((resource: ResourceRecord, principal: Principal) => boolean);

/** The parts of a details card that can be granted one by one. */
export type DetailSection =
  | "description"
  | "columns"
  | "constraints"
  | "pushdown"
  | "snippets"
  | "anti_patterns"
  | "access"
  | "quality"
  | "other";

/** What a role may see. */
export interface RoleRights {
  /** Rows, facets, counts and search. All resources by default. */
  overview?: ResourceRule | undefined;
  /** Cards, and search over their content. No resources by default. */
  details?: ResourceRule | undefined;
  /** Columns tagged `pii`, and texts that name them. No resources by default. */
  pii?: ResourceRule | undefined;
  /** Which columns are shown, in addition to the `pii` rule. All by default. */
  columns?:
    | ((column: ResourceColumn, resource: ResourceRecord, principal: Principal) => boolean)
    | undefined;
  /** All by default. */
  sections?: readonly DetailSection[] | undefined;
}

/** Who may see what. */
export interface AccessOptions {
  /** By role. A call without a principal has the role `public`, which may read overviews unless it is listed here. */
  roles: Readonly<Record<string, RoleRights>>;
}
