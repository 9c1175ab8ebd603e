/**
 * Prefixes that a scan assigns: the seven in the design document, plus C for configuration and R
 * for other data.
 */
export type BuiltInPrefix = "A" | "C" | "D" | "H" | "P" | "PR" | "R" | "S" | "T";

const TEXT = String.raw`\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc)$`;
const CONFIGURATION_DATA = String.raw`\.(?:ya?ml|json|jsonc|json5|toml|ini)$`;
const CODE_EXTENSIONS =
  "[cm]?[jt]sx? py pyi pyw go rs java kts? scala groovy clj[cs]? c h cc cpp cxx hh hpp hxx m mm cs fs fsx vb swift rb php pl " +
  "pm lua r jl dart ex exs erl hrl hs elm mli? nim zig v sol sh bash zsh fish ps1 bat cmd vue svelte astro css scss sass less " +
  "html? hbs ejs liquid jinja2? tmpl ipynb gradle cmake tf nix asm s wat";
const CONFIGURATION_NAMES =
  "package composer deno lerna turbo nx vercel renovate biome manifest angular app project [^./]*tsconfig[^/]* " +
  "jsconfig[^/]* [^/]*config [^/]*settings";
const CONFIGURATION_FILES =
  String.raw`dockerfile[^/]* makefile justfile procfile jenkinsfile vagrantfile brewfile gemfile go\.mod go\.work pom\.xml ` +
  String.raw`requirements[^/]*\.txt cmakelists\.txt \.[^/]* [^/]*\.(?:toml|ini|cfg|conf|properties|env|ya?ml)`;

const oneOf = (words: string): string => `(?:${words.replaceAll(" ", "|")})`;

/** The first match wins. Patterns that start with `^|/` match the last segment or folders. */
const RULES: readonly (readonly [prefix: BuiltInPrefix, pattern: RegExp])[] = [
  [
    "A",
    new RegExp(
      String.raw`(?:^|\/)(?:adr[-_ ]?\d[^/]*|(?:adrs?|(?:architecture-)?decisions|decision-records)\/.+)${TEXT}`,
      "i",
    ),
  ],
  ["T", /(?:^|\/)(?:tests?|__tests__|specs?|e2e|__mocks__|__fixtures__|fixtures|testdata)\//i],
  [
    "T",
    /\.(?:test|spec|test-d|e2e|cy)\.[a-z]+$|(?:^|\/)(?:test_[^/]*|conftest)\.py$|_spec\.rb$|_test\.(?:go|py|rb|exs?|dart|cc|cpp)$|[a-z0-9]Tests?\.(?:java|kt|cs|scala|swift|groovy)$/,
  ],
  ["P", /(?:^|\/)(?:prep\/.+|options\.json|scorecard\.json)$/i],
  [
    "S",
    /[.-]schema\.(?:json|ya?ml)$|(?:^|\/)(?:openapi|swagger|asyncapi)[^/]*\.(?:json|ya?ml)$|(?:^|\/)(?:json-?)?schemas?\/.+\.(?:json|ya?ml|jsonc)$/i,
  ],
  ["S", /\.(?:proto|graphqls?|gql|avsc|avdl|xsd|rng|thrift|fbs|capnp|prisma|sql|ddl|cue|jtd)$/i],
  ["PR", new RegExp(String.raw`(?:^|\/)profiles?\/.+${CONFIGURATION_DATA}`, "i")],
  ["C", /\.config\.[cm]?[jt]s$|(?:^|\/)\.[^/]+rc\.[cm]?[jt]s$/i],
  ["H", new RegExp(String.raw`\.${oneOf(CODE_EXTENSIONS)}$`, "i")],
  ["C", new RegExp(String.raw`(?:^|\/)${oneOf(CONFIGURATION_FILES)}$`, "i")],
  ["C", new RegExp(String.raw`(?:^|\/)${oneOf(CONFIGURATION_NAMES)}\.(?:json|jsonc|json5)$`, "i")],
  ["D", new RegExp(String.raw`${TEXT}|\.(?:org|tex)$`, "i")],
  [
    "D",
    /(?:^|\/)(?:license|licence|notice|copying|readme|changelog|authors|contributing|codeowners)$/i,
  ],
];

/** Returns the alias prefix for a path with forward slashes, based on its folders, name and extension. */
export function classifyPath(path: string): BuiltInPrefix {
  return RULES.find(([, pattern]) => pattern.test(path))?.[0] ?? "R";
}
