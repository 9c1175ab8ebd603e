import type { ResourceColumn, ResourceRecord } from "../record/resource-record.ts";
import { isPersonal } from "../record/schema-digest.ts";
import { targetsOfKey } from "../search/foreign-key-targets.ts";
import type {
  AccessOptions,
  DetailSection,
  Principal,
  ResourceRule,
  RoleRights,
} from "./access-options.ts";

/** The access rights of one principal in a catalog. Valid for a single call. */
export interface Visibility {
  /** Equal for principals with the same rights. Undefined if a rule is a function. */
  key: string | undefined;
  /** True if every overview and every card is visible, apart from personal columns. */
  isOpen: boolean;
  seesOverview(record: ResourceRecord): boolean;
  seesDetails(record: ResourceRecord): boolean;
  seesColumn(column: ResourceColumn, record: ResourceRecord): boolean;
  /**
   * Returns whether to show the target of a foreign key. False if it names no visible resource, so that a key to a
   * hidden table looks like a dangling one.
   */
  seesForeignKey(key: string, record: ResourceRecord): boolean;
  /** True if no column, past or present, is hidden. */
  seesEveryColumn(record: ResourceRecord): boolean;
  seesSection(section: DetailSection, record: ResourceRecord): boolean;
}

const publicPrincipal: Principal = { roles: ["public"] };
const openRights: RoleRights = { details: true };

/**
 * Combines the rights of all the principal's roles. Without access rules, a call without a principal sees
 * everything except personal columns. A call with a principal then sees nothing, because its roles are unknown.
 * `find` looks up records that foreign keys name.
 */
export function createVisibility(
  access: AccessOptions | undefined,
  principal: Principal | undefined,
  find: (id: string) => ResourceRecord | undefined = () => undefined,
): Visibility {
  const caller = principal ?? publicPrincipal;
  const rights = rightsOf(access, principal);
  const isOpen = access === undefined && principal === undefined;
  const seesAll = rights.some(({ overview = true }) => overview === true);
  const allows = (record: ResourceRecord, rule: (right: RoleRights) => ResourceRule): boolean =>
    rights.some((right) => decide(rule(right), record, caller));
  const seesOverview = (record: ResourceRecord): boolean =>
    allows(record, (right) => right.overview ?? true);
  const grants = (right: RoleRights, record: ResourceRecord): boolean =>
    decide(right.overview ?? true, record, caller) &&
    decide(right.details ?? false, record, caller);
  return {
    key: rights.some(hasFunction) ? undefined : keyOf(access, principal),
    isOpen,
    seesOverview,
    seesDetails: (record) =>
      seesOverview(record) && allows(record, (right) => right.details ?? false),
    seesColumn(column, record) {
      return rights.some((right) => {
        if (!decide(right.overview ?? true, record, caller)) return false;
        if (isPersonal(column) && !decide(right.pii ?? false, record, caller)) return false;
        return right.columns === undefined || isTrue(() => right.columns?.(column, record, caller));
      });
    },
    seesForeignKey: (key, { id }) =>
      seesAll ||
      targetsOfKey(id, key).some((target) => {
        const named = find(target);
        return named !== undefined && seesOverview(named);
      }),
    seesEveryColumn: (record) =>
      rights.some(
        (right) =>
          grants(right, record) &&
          right.columns === undefined &&
          decide(right.pii ?? false, record, caller),
      ),
    seesSection: (section, record) =>
      rights.some((right) => grants(right, record) && (right.sections?.includes(section) ?? true)),
  };
}

function rightsOf(
  access: AccessOptions | undefined,
  principal: Principal | undefined,
): RoleRights[] {
  if (access === undefined) return principal === undefined ? [openRights] : [];
  return rolesOf(principal).flatMap((role) => {
    if (Object.hasOwn(access.roles, role)) return access.roles[role] ?? [];
    return role === "public" ? {} : [];
  });
}

/** Keeps only valid role names. Anything else grants nothing and must not look like a role that grants something. */
function rolesOf({ roles }: Principal = publicPrincipal): string[] {
  return Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [];
}

function hasFunction(right: RoleRights): boolean {
  return [right.overview, right.details, right.pii, right.columns].some(
    (rule) => typeof rule === "function",
  );
}

function keyOf(access: AccessOptions | undefined, principal: Principal | undefined): string {
  if (access === undefined) return principal === undefined ? "open" : "nobody";
  return JSON.stringify([...new Set(rolesOf(principal))].sort());
}

function decide(rule: ResourceRule, record: ResourceRecord, principal: Principal): boolean {
  if (typeof rule === "boolean") return rule;
  if (typeof rule === "function") return isTrue(() => rule(record, principal));
  if (typeof rule !== "object" || rule === null) return false;
  return (
    (rule.ids?.some((id) =>
      id.endsWith("*") ? record.id.startsWith(id.slice(0, -1)) : record.id === id,
    ) ??
      true) &&
    (rule.kinds?.includes(record.kind) ?? true) &&
    (rule.tags?.some((tag) => record.tags.includes(tag)) ?? true) &&
    (rule.policies?.includes(record.access?.policy ?? "") ?? true)
  );
}

function isTrue(call: () => unknown): boolean {
  try {
    return call() === true;
  } catch {
    return false;
  }
}
