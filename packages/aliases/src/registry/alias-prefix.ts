/** The prefix of an alias: `PR` of `PR.default`. */
export function aliasPrefix(alias: string): string {
  return alias.slice(0, alias.indexOf("."));
}
