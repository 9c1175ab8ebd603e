/** Returns the prefix of an alias: `PR` for `PR.default`. */
export function aliasPrefix(alias: string): string {
  return alias.slice(0, alias.indexOf("."));
}
