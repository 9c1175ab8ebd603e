import { CatalogError } from "../catalog-error.ts";

/**
 * Checks a list of ids.
 * @throws CatalogError `invalid_options` if the value is not a list of strings
 */
export function requireIds(name: string, ids: unknown): asserts ids is readonly string[] {
  if (Array.isArray(ids) && ids.every((id) => typeof id === "string")) return;
  throw new CatalogError("invalid_options", `${name} is a list of ids, each a string.`);
}

/** Resolves an alias to its id. Returns anything else unchanged. */
export function resolveAlias(
  id: string,
  aliases: Readonly<Record<string, string>> | undefined,
): string {
  return aliases !== undefined && Object.hasOwn(aliases, id) ? (aliases[id] ?? id) : id;
}
