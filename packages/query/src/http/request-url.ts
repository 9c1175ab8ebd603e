import { isRecord } from "@ccl/core/json";
import type { ResourceDetails } from "@ccl/catalog";
import type { PlanValue } from "../connector/column-batch.ts";
import { QueryError } from "../query-error.ts";
import type { HttpResource } from "./http-options.ts";

/** The parts of a request address. */
export interface UrlParts {
  resource: ResourceDetails;
  settings: HttpResource;
  arguments: ReadonlyMap<string, PlanValue>;
}

/**
 * Returns a resource's path below the base, with arguments as `{name}`.
 * @throws QueryError `invalid_options` if there is none
 */
function pathTemplate(base: URL, resource: ResourceDetails, { path }: HttpResource): string {
  const { http, uri, id } = resource;
  const { method = "GET", path: cardPath } = isRecord(http) ? http : {};
  if (method !== "GET")
    throw new QueryError(
      "invalid_options",
      `${JSON.stringify(id)} needs ${String(method).slice(0, 20)}; only GET is supported.`,
    );
  const start = base.href.replace(/\/$/, "");
  if (path !== undefined) return path;
  if (typeof cardPath === "string") return cardPath;
  if (uri?.startsWith(start) === true) return uri.slice(start.length);
  throw new QueryError(
    "invalid_options",
    `Nothing says where ${JSON.stringify(id)} is below the base address; give its path in resources.`,
  );
}

/**
 * Returns the URL of a request.
 * @throws QueryError `argument_missing`, `value_invalid` for a value unfit for a path
 */
export function requestUrl(base: URL, { resource, settings, arguments: given }: UrlParts): URL {
  const used = new Set<string>();
  const path = pathTemplate(base, resource, settings).replaceAll(
    /\{([^{}]+)\}/g,
    (_, written: string) => {
      const name = plainName(written);
      used.add(name);
      return pathPart(name, given.get(name), resource.id);
    },
  );
  const url = new URL(`${base.href.replace(/\/$/, "")}/${path.replace(/^\//, "")}`);
  if (!isBelow(url, base))
    throw new QueryError(
      "value_invalid",
      `The address of ${JSON.stringify(resource.id)} lies outside of the base address.`,
    );
  for (const [name, value] of Object.entries(settings.query ?? {}))
    url.searchParams.append(name, value);
  for (const [name, value] of given)
    if (!used.has(name) && value !== null) url.searchParams.append(name, String(value));
  return url;
}

/** Decodes a template name, because imported cards percent-encode their templates. */
function plainName(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** Encodes one path segment. No value can add or remove a segment. */
function pathPart(name: string, value: PlanValue | undefined, id: string): string {
  if (value === undefined || value === null)
    throw new QueryError(
      "argument_missing",
      `${JSON.stringify(id)} needs a value for ${JSON.stringify(name)}: filter its scan by ${name} = a constant.`,
    );
  const text = String(value);
  if (/^\.{0,2}$/.test(text) || /\p{Surrogate}/u.test(text))
    throw new QueryError(
      "value_invalid",
      `The value of ${JSON.stringify(name)} cannot be part of a path.`,
    );
  return encodeURIComponent(text);
}

/** True if the URL has the base's origin and a path below the base's. */
export function isBelow(url: URL, base: URL): boolean {
  const folder = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`;
  return url.origin === base.origin && `${url.pathname}/`.startsWith(folder);
}
