import { parseAlias } from "../registry/alias-name.ts";

/** Device names reserved by Windows, with any extension. */
const DEVICE = /^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)\./;

/**
 * Returns the file name of an alias's card, which is the same on every system. Returns undefined if
 * the text is not an alias.
 */
export function cardFileName(alias: string): string | undefined {
  const parsed = parseAlias(alias);
  if (!parsed.ok || parsed.value.sha8 !== undefined) return undefined;
  return DEVICE.test(alias) ? `_${alias}.md` : `${alias}.md`;
}
