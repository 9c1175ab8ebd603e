import type { ResourceColumn, ResourceDetails } from "@ccl/catalog";

/** Who asks. Absent means the public: whoever a rule lets in without a name. */
export interface QueryPrincipal {
  id?: string | undefined;
  roles?: readonly string[] | undefined;
  [name: string]: unknown;
}

/** What a rule is asked about: a resource, and one column of it where `column` is there. */
interface AccessRequest {
  principal: QueryPrincipal | undefined;
  resource: ResourceDetails;
  column?: ResourceColumn | undefined;
}

/** Who may read what. A rule that throws denies, as does an answer that is not `true`. */
export interface QueryAccess {
  canRead(request: AccessRequest): boolean;
}

/** Who asks and by which rules. Without rules, the details are taken as what the principal may see. */
export interface AccessOptions {
  access?: QueryAccess | undefined;
  principal?: QueryPrincipal | undefined;
}

/** The resources that the principal may read, each with those of its columns only, by id. */
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
    visible.set(resource.id, { ...resource, columns });
  }
  return visible;
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
