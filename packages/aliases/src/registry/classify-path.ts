/**
 * Prefixes that a scan assigns: the seven from the design document, C for configuration and R for
 * other data.
 */
export type BuiltInPrefix = "A" | "C" | "D" | "H" | "P" | "PR" | "R" | "S" | "T";

const TEXT = String.raw`\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc)$`;
const CONFIGURATION_DATA = String.raw`\.(?:ya?ml|json|jsonc|json5|toml|ini)$`;
const CODE_EXTENSIONS =
  "[cm]?[jt]sx? py pyi pyw go rs java kts? scala groovy clj[cs]? c h cc cpp cxx hh hpp hxx m mm cs fs fsx vb swift rb php pl " +
  "pm lua r jl dart ex exs erl hrl hs elm mli? nim zig v sol sh bash zsh fish ps1 bat cmd vue svelte astro css scss sass less " +
  "html? hbs ejs liquid jinja2? tmpl ipynb gradle cmake tf nix asm s wat";
const CONFIGURATION_NAMES =
  "package composer deno lerna turbo nx vercel renovate biome manifest angular app project [^.]*tsconfig.* jsconfig.* " +
  ".*config .*settings";
const CONFIGURATION_FILES =
  String.raw`dockerfile.* makefile justfile procfile jenkinsfile vagrantfile brewfile gemfile go\.mod go\.work pom\.xml ` +
  String.raw`requirements.*\.txt cmakelists\.txt \..* .*\.(?:toml|ini|cfg|conf|properties|env|ya?ml)`;

/** The first match wins. `name` rules look only at the last segment. */
const RULES: readonly { prefix: BuiltInPrefix; in: "path" | "name"; pattern: RegExp }[] = [
  { prefix: "A", in: "name", pattern: new RegExp(`^adr[-_ ]?\\d.*${TEXT}`, "i") },
  {
    prefix: "A",
    in: "path",
    pattern: new RegExp(
      String.raw`(?:^|\/)(?:adrs?|(?:architecture-)?decisions|decision-records)\/.+${TEXT}`,
      "i",
    ),
  },
  {
    prefix: "T",
    in: "path",
    pattern: /(?:^|\/)(?:tests?|__tests__|specs?|e2e|__mocks__|__fixtures__|fixtures|testdata)\//i,
  },
  {
    prefix: "T",
    in: "name",
    pattern: /\.(?:test|spec|test-d|e2e|cy)\.[a-z]+$|^test_.*\.py$|^conftest\.py$/,
  },
  {
    prefix: "T",
    in: "name",
    pattern:
      /_test\.(?:go|py|rb|exs?|dart|cc|cpp)$|_spec\.rb$|[a-z0-9]Tests?\.(?:java|kt|cs|scala|swift|groovy)$/,
  },
  { prefix: "P", in: "path", pattern: /(?:^|\/)(?:prep\/.+|options\.json|scorecard\.json)$/i },
  {
    prefix: "S",
    in: "name",
    pattern: /[.-]schema\.(?:json|ya?ml)$|^(?:openapi|swagger|asyncapi).*\.(?:json|ya?ml)$/i,
  },
  {
    prefix: "S",
    in: "name",
    pattern:
      /\.(?:proto|graphqls?|gql|avsc|avdl|xsd|rng|thrift|fbs|capnp|prisma|sql|ddl|cue|jtd)$/i,
  },
  { prefix: "S", in: "path", pattern: /(?:^|\/)(?:json-?)?schemas?\/.+\.(?:json|ya?ml|jsonc)$/i },
  {
    prefix: "PR",
    in: "path",
    pattern: new RegExp(String.raw`(?:^|\/)profiles?\/.+${CONFIGURATION_DATA}`, "i"),
  },
  { prefix: "C", in: "name", pattern: /\.config\.[cm]?[jt]s$|^\..+rc\.[cm]?[jt]s$/i },
  {
    prefix: "H",
    in: "name",
    pattern: new RegExp(String.raw`\.(?:${CODE_EXTENSIONS.replaceAll(" ", "|")})$`, "i"),
  },
  {
    prefix: "C",
    in: "name",
    pattern: new RegExp(`^(?:${CONFIGURATION_FILES.replaceAll(" ", "|")})$`, "i"),
  },
  {
    prefix: "C",
    in: "name",
    pattern: new RegExp(
      String.raw`^(?:${CONFIGURATION_NAMES.replaceAll(" ", "|")})\.(?:json|jsonc|json5)$`,
      "i",
    ),
  },
  { prefix: "D", in: "name", pattern: new RegExp(String.raw`${TEXT}|\.(?:org|tex)$`, "i") },
  {
    prefix: "D",
    in: "name",
    pattern:
      /^(?:license|licence|notice|copying|readme|changelog|authors|contributing|codeowners)$/i,
  },
];

/** The alias prefix of a path with forward slashes, decided by its folders, name and extension. */
export function classifyPath(path: string): BuiltInPrefix {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return RULES.find((rule) => rule.pattern.test(rule.in === "name" ? name : path))?.prefix ?? "R";
}
