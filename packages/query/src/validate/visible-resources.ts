import {
  createHiddenNames,
  type HiddenNames,
  type ResourceColumn,
  type ResourceDetails,
} from "@ccl/catalog";

/** The caller. Undefined means the public, which has no name or role. */
interface QueryPrincipal {
  id?: string | undefined;
  roles?: readonly string[] | undefined;
  [name: string]: unknown;
}

/** The subject of a rule: a resource, or one of its columns if `column` is set. */
interface AccessRequest {
  principal: QueryPrincipal | undefined;
  resource: ResourceDetails;
  column?: ResourceColumn | undefined;
}

/** Access rules. A rule denies access if it throws or returns anything but `true`. */
export interface QueryAccess {
  canRead(request: AccessRequest): boolean;
  /**
   * Returns a condition in the plan language, such as `region = 'eu'`, for the rows that the principal may see. It
   * may use hidden columns. Undefined allows all rows. If the rule throws or cannot be parsed, no rows are
   * visible.
   */
  rowsOf?(request: Pick<AccessRequest, "principal" | "resource">): string | undefined;
}

/** The principal and access rules. Without rules, the principal may see all details. */
export interface AccessOptions {
  access?: QueryAccess | undefined;
  principal?: QueryPrincipal | undefined;
}

/**
 * Returns the resources that the principal may read, by id. Each contains only columns and foreign keys that the
 * principal may see.
 */
export function visibleResources(
  details: Iterable<ResourceDetails>,
  { access, principal }: AccessOptions,
): Map<string, ResourceDetails> {
  const visible = new Map<string, ResourceDetails>();
  for (const resource of details) {
    if (!isAllowed(access, { principal, resource })) continue;
    const columns = (resource.columns ?? []).filter((column) =>
      isAllowed(access, { principal, resource, column }),
    );
    visible.set(resource.id, { ...resource, columns, usage: seenUsage(resource, columns) });
  }
  return access === undefined ? visible : withoutHiddenKeys(visible);
}

/** Drops anti-patterns that name a hidden column. */
function seenUsage(
  { usage, columns: all = [] }: ResourceDetails,
  columns: readonly ResourceColumn[],
): ResourceDetails["usage"] {
  if (usage?.anti_patterns === undefined || columns.length === all.length) return usage;
  const hidden = createHiddenNames(
    all.map(({ name }) => name).filter((name) => !columns.some((column) => column.name === name)),
  );
  const anti_patterns = usage.anti_patterns.filter((text) => !hidden.isNamedIn(text));
  return { ...usage, anti_patterns };
}

/** Returns names of tables and columns hidden from the principal, except names that it sees elsewhere. */
export function hiddenFrom(
  details: readonly ResourceDetails[],
  options: AccessOptions,
): HiddenNames {
  const namesOf = (resources: Iterable<ResourceDetails>): string[] =>
    [...resources].flatMap((resource) => [
      resource.id,
      tableOf(resource),
      ...(resource.columns ?? []).map(({ name }) => name),
    ]);
  const seen = new Set(namesOf(visibleResources(details, options).values()));
  return createHiddenNames(namesOf(details).filter((name) => !seen.has(name)));
}

/** Drops foreign keys to invisible tables, so that a hidden table looks like a missing one. */
function withoutHiddenKeys(
  visible: ReadonlyMap<string, ResourceDetails>,
): Map<string, ResourceDetails> {
  const tables = new Map<string, string[]>();
  for (const resource of visible.values()) {
    const table = tableOf(resource);
    const name = table.split(".").at(-1) ?? "";
    tables.set(name, [...(tables.get(name) ?? []), table]);
  }
  const isKnown = (key: string): boolean =>
    tables.get(key.split(".").at(-2) ?? "")?.some((table) => namesTable(key, table)) === true;
  return new Map(
    [...visible].map(([id, resource]) => {
      const columns = (resource.columns ?? []).map(({ fk, ...column }) =>
        fk === undefined || !isKnown(fk) ? column : { ...column, fk },
      );
      return [id, { ...resource, columns }];
    }),
  );
}

/** Returns a resource's table as named in foreign keys: its address after the last slash, or the end of its id. */
export function tableOf({ uri, id }: ResourceDetails): string {
  return (uri ?? id).split("/").at(-1) ?? "";
}

/** True if a foreign key like `public.users.id` refers to the table. Only parts that both have are compared. */
export function namesTable(key: string, table: string): boolean {
  const wanted = key.split(".").slice(0, -1);
  const own = table.split(".");
  const length = Math.min(wanted.length, own.length);
  return length > 0 && wanted.slice(-length).join(".") === own.slice(-length).join(".");
}

function isAllowed(access: QueryAccess | undefined, request: AccessRequest): boolean {
  if (access === undefined) return true;
  try {
    const answer: unknown = access.canRead(request);
    return answer === true;
  } catch {
    return false;
  }
}

/** Returns the row rule of a resource. */
export function rowRule(
  resource: ResourceDetails,
  { access, principal }: AccessOptions,
): string | undefined {
  if (access?.rowsOf === undefined) return undefined;
  try {
    const rule: unknown = access.rowsOf({ principal, resource });
    return rule === undefined || typeof rule === "string" ? rule : "false";
  } catch {
    return "false";
  }
}
