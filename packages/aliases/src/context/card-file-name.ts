import { parseAlias } from "../registry/alias-name.ts";

/** Names that Windows gives to devices, whatever extension follows. */
const DEVICE = /^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)\./;

/** The file of an alias's card, the same on every system; undefined for what is no alias. */
export function cardFileName(alias: string): string | undefined {
  const parsed = parseAlias(alias);
  if (!parsed.ok || parsed.value.sha8 !== undefined) return undefined;
  return DEVICE.test(alias) ? `_${alias}.md` : `${alias}.md`;
}
