import { parseAlias } from "../registry/alias-name.ts";

/** Windows device names, with any extension. */
const DEVICE = /^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)\./;

/**
 * The file name of an alias's card, the same on every system. Undefined if the text is not an
 * alias.
 */
export function cardFileName(alias: string): string | undefined {
  const parsed = parseAlias(alias);
  if (!parsed.ok || parsed.value.sha8 !== undefined) return undefined;
  return DEVICE.test(alias) ? `_${alias}.md` : `${alias}.md`;
}
