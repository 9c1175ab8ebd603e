import type { ResourceColumn, ResourceRecord } from "../record/resource-record.ts";

/** The user or service on whose behalf a call runs. */
export interface Principal {
  /** Passed to rules that are functions. */
  id?: string | undefined;
  /** The principal has the combined rights of all its roles. Roles unknown to the catalog grant nothing. */
  roles: readonly string[];
}

/** Selects the resources that a right applies to. A resource must match every given field. */
interface ResourceMatch {
  /** Resource ids. A `*` at the end matches any suffix. */
  ids?: readonly string[] | undefined;
  kinds?: readonly string[] | undefined;
  /** Matches a resource that has any of these tags. */
  tags?: readonly string[] | undefined;
  /** Compared with the resource's `access.policy`. */
  policies?: readonly string[] | undefined;
}

/**
 * The resources that a right applies to: all (`true`), none, those that match, or those for which the function
 * returns true. A function that throws denies access.
 */
export type ResourceRule =
  | boolean
  | ResourceMatch
  | ((resource: ResourceRecord, principal: Principal) => boolean);

/** Parts of a details card that can be granted separately. */
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

/** The rights of a role. */
export interface RoleRights {
  /** Rows, facets, counts and search results. All resources by default. */
  overview?: ResourceRule | undefined;
  /** Cards, and search over their content. No resources by default. */
  details?: ResourceRule | undefined;
  /** Columns tagged `pii`, and any text that names one. No resources by default. */
  pii?: ResourceRule | undefined;
  /** Which columns are shown, in addition to the `pii` rule. All by default. */
  columns?:
    | ((column: ResourceColumn, resource: ResourceRecord, principal: Principal) => boolean)
    | undefined;
  /** Sections of a card. All by default. */
  sections?: readonly DetailSection[] | undefined;
}

/** Access rules of a catalog. */
export interface AccessOptions {
  /**
   * Rights by role. A call without a principal has the role `public`, which may read overviews unless it is listed
   * here.
   */
  roles: Readonly<Record<string, RoleRights>>;
}
