import {
  createHiddenNames,
  type HiddenNames,
  type ResourceColumn,
  type ResourceDetails,
} from "@ccl/catalog";

/** The caller. Undefined stands for the public, whom a rule knows by no name or role. */
interface QueryPrincipal {
  id?: string | undefined;
  roles?: readonly string[] | undefined;
  [name: string]: unknown;
}

/** What a rule decides on: a resource, or one of its columns if `column` is given. */
interface AccessRequest {
  principal: QueryPrincipal | undefined;
  resource: ResourceDetails;
  column?: ResourceColumn | undefined;
}

/** Who may read what. A rule denies if it throws or returns anything but `true`. */
export interface QueryAccess {
  canRead(request: AccessRequest): boolean;
  /**
   * The rows of a resource that the principal may see, as a condition of the plan language like `region = 'eu'`. It may
   * read hidden columns. Undefined allows all rows. A rule that throws or cannot be parsed allows none.
   */
  rowsOf?(request: Pick<AccessRequest, "principal" | "resource">): string | undefined;
}

/** The principal and the access rules. Without rules, the principal may see all details. */
export interface AccessOptions {
  access?: QueryAccess | undefined;
  principal?: QueryPrincipal | undefined;
}

/**
 * The resources that the principal may read, by id. Each has only the columns and foreign keys that
 * the principal may see.
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

/** Drops the anti-patterns that name a hidden column. */
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

/** The names of tables and columns that the principal may not see, except names that it sees elsewhere. */
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

/** Drops foreign keys to tables that are not visible, so that a hidden table looks like a missing one. */
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

/** The table of a resource as foreign keys name it: its address after the last slash, or the end of its id. */
export function tableOf({ uri, id }: ResourceDetails): string {
  return (uri ?? id).split("/").at(-1) ?? "";
}

/** True if a foreign key like `public.users.id` points into a table, as far as both are qualified. */
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

/** The row rule of a resource. */
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
