import type { ResourceColumn, ResourceRecord } from "../record/resource-record.ts";

/** Who asks. */
export interface Principal {
  /** For rules that are functions. */
  id?: string | undefined;
  /** Rights add up; a role that the catalog does not know gives none. */
  roles: readonly string[];
}

/** Which resources a right is for: those that fit everything that is given. */
interface ResourceMatch {
  /** Ids; a `*` at the end stands for any rest. */
  ids?: readonly string[] | undefined;
  kinds?: readonly string[] | undefined;
  /** Any of them. */
  tags?: readonly string[] | undefined;
  /** `access.policy` of the resource. */
  policies?: readonly string[] | undefined;
}

/** A right: for all, none, some, or as a function decides. A function that throws, or gives anything but true, denies. */
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
  /** Rows, facets, counts and search; all resources where absent. */
  overview?: ResourceRule | undefined;
  /** Cards, and search over what stands in them; none where absent. */
  details?: ResourceRule | undefined;
  /** Columns tagged `pii`, and what names them; none where absent. */
  pii?: ResourceRule | undefined;
  /** Columns shown, beside the rule for personal ones; all where absent. */
  columns?:
    | ((column: ResourceColumn, resource: ResourceRecord, principal: Principal) => boolean)
    | undefined;
  /** All where absent. */
  sections?: readonly DetailSection[] | undefined;
}

/** Who may see what. */
export interface AccessOptions {
  /** By role; `public`, the role of a call without a principal, may read overviews where it is not named. */
  roles: Readonly<Record<string, RoleRights>>;
}
