// Programs that use an entry in ways that might need Node. They run in every runtime.

/** @type {Record<string, (entry: any) => unknown>} */
export const programs = {
  "@ccl/core": ({ sha256Hex, createUuidV7Generator }) => {
    requireThat(sha256Hex("a").startsWith("ca978112"), "sha256Hex");
    requireThat(/^[0-9a-f-]{36}$/.test(createUuidV7Generator().next()), "createUuidV7Generator");
  },
};

function requireThat(condition, name) {
  if (!condition) throw new Error(`${name} gives another answer here`);
}
