import type { AliasRegistry } from "@ccl/aliases";

/** The registry with fewer names to choose from. */
export function narrowRegistry(
  registry: AliasRegistry,
  paths: ReadonlySet<string> | undefined,
): AliasRegistry {
  if (paths === undefined) return registry;
  const { root, directory, isPersistent, cache } = registry;
  return {
    root,
    directory,
    isPersistent,
    cache,
    add: (alias, path, options) => registry.add(alias, path, options),
    remove: (alias) => registry.remove(alias),
    list: () => registry.list().filter((entry) => paths.has(entry.path)),
    resolve: (alias, options) => registry.resolve(alias, options),
    stat: async (options) => (await registry.stat(options)).filter((one) => paths.has(one.path)),
    verify: (options) => registry.verify(options),
    scan: (rules) => registry.scan(rules),
    close: () => registry.close(),
  };
}
