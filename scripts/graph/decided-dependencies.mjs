// Compares the table of ADR 0005 with the manifests: every dependency that users install has a line that names its
// package.
import fs from "node:fs";
import path from "node:path";

const decision = "docs/decisions/0005-third-party-dependencies.md";

/**
 * Dependencies, peers and bundled parts of published packages without a line, and lines that no package needs any more.
 */
export function undecidedDependencies({ root, rows, packages }) {
  const file = path.join(root, decision);
  const lines = fs.existsSync(file) ? linesOf(fs.readFileSync(file, "utf8")) : [];
  const needed = packages.flatMap(({ name, manifest }) =>
    [
      ...Object.keys({
        ...manifest.dependencies,
        ...manifest.optionalDependencies,
        ...manifest.peerDependencies,
      }),
      ...(rows[name]?.bundles ?? []).filter(
        (bundled) => manifest.devDependencies?.[bundled] !== undefined,
      ),
    ]
      .filter((dependency) => !dependency.startsWith("@ccl/"))
      .map((dependency) => ({ dependency, user: name.replace("@ccl/", "") })),
  );
  const isNamed = (line, { dependency, user }) =>
    line.names.some((name) => isSame(name, dependency)) && line.users.includes(user);
  const undecided = needed
    .filter((need) => !lines.some((line) => isNamed(line, need)))
    .map(
      ({ dependency, user }) =>
        `@ccl/${user} needs ${dependency}, and ${decision} has no line of it for ${user}`,
    );
  const left = lines.flatMap((line) =>
    line.users
      .filter((user) => !needed.some((need) => need.user === user && isNamed(line, need)))
      .map(
        (user) => `${decision} says that ${user} needs ${line.names.join(", ")}, which it does not`,
      ),
  );
  return [...undecided, ...left];
}

/** `langchain 1.5, @langchain/core 1.4 | context-compiler \`./langchain\` (optional peers)` */
function linesOf(text) {
  const rows = text
    .split("\n")
    .filter((line) => /^\| [@a-z]/.test(line) && !line.startsWith("| dependency"));
  return rows.map((row) => {
    const [, names = "", users = ""] = row.split("|");
    return {
      names: names.split(",").map((name) => name.trim().split(" ")[0]),
      users: users
        .replaceAll(/`[^`]*`|\([^)]*\)|\bpeers?\b/g, "")
        .split(/[,;]/)
        .map((user) => user.trim()),
    };
  });
}

/** `@modelcontextprotocol/*` names a whole scope. */
function isSame(name, dependency) {
  return name.endsWith("/*") ? dependency.startsWith(name.slice(0, -1)) : name === dependency;
}
