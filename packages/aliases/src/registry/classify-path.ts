/** Prefixes that a scan gives by itself: the document's seven, and R for other data. */
export type BuiltInPrefix = "A" | "D" | "H" | "P" | "PR" | "R" | "S" | "T";

const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|__mocks__|__fixtures__|fixtures|testdata)\//i;
const TEST_FILE =
  /(?:\.(?:test|spec|test-d|e2e|cy)\.[a-z]+|(?:^|\/)test_[^/]*\.py|(?:^|\/)conftest\.py|_test\.(?:go|py|rb|exs?|dart|cc|cpp)|_spec\.rb|[a-z0-9]Tests?\.(?:java|kt|cs|scala|swift|groovy))$/;
const DECISION_FILE = /(?:^|\/)adr[-_ ]?\d[^/]*\.(?:md|mdx|rst|txt|adoc)$/i;
const DECISION_FOLDER =
  /(?:^|\/)(?:adrs?|decisions|decision-records|architecture-decisions)\/.+\.(?:md|mdx|rst|txt|adoc)$/i;
const SCHEMA_FILE =
  /(?:[.-]schema\.(?:json|ya?ml)|\.(?:proto|graphqls?|gql|avsc|avdl|xsd|rng|thrift|fbs|capnp|prisma|sql|ddl|cue|jtd))$/i;
const SCHEMA_FOLDER = /(?:^|\/)(?:schemas?|json-?schemas?)\/.+\.(?:json|ya?ml|jsonc)$/i;
const OPENAPI_FILE = /(?:^|\/)(?:openapi|swagger|asyncapi)[^/]*\.(?:json|ya?ml)$/i;
const PREP = /(?:^|\/)(?:prep\/.+|options\.json|scorecard\.json)$/i;
const DOCUMENT =
  /(?:\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org|tex)|(?:^|\/)(?:license|licence|notice|copying|readme|changelog|authors|contributing|codeowners))$/i;
const PROFILE_FOLDER = /(?:^|\/)profiles?\/.+\.(?:ya?ml|json|jsonc|json5|toml|ini)$/i;
const CONFIGURATION =
  /(?:(?:^|\/)(?:package|composer|deno|lerna|turbo|nx|vercel|renovate|biome|manifest|angular|app|project|jsconfig[^/]*|tsconfig[^/]*|[^/]*\.tsconfig|[^/]*config|[^/]*settings)\.(?:json|jsonc|json5)|\.(?:toml|ini|cfg|conf|properties|editorconfig|env|ya?ml)|(?:^|\/)(?:dockerfile[^/]*|makefile|justfile|procfile|jenkinsfile|vagrantfile|brewfile|gemfile|go\.mod|go\.work|pom\.xml|requirements[^/]*\.txt|cmakelists\.txt|\.[^/]*))$/i;
const CODE =
  /\.(?:[cm]?[jt]sx?|py|pyi|pyw|go|rs|java|kts?|scala|groovy|clj[cs]?|c|h|cc|cpp|cxx|hh|hpp|hxx|m|mm|cs|fs|fsx|vb|swift|rb|php|pl|pm|lua|r|jl|dart|ex|exs|erl|hrl|hs|elm|ml|mli|nim|zig|v|sol|sh|bash|zsh|fish|ps1|bat|cmd|vue|svelte|astro|css|scss|sass|less|html?|hbs|ejs|liquid|jinja2?|tmpl|ipynb|gradle|cmake|tf|nix|asm|s|wat)$/i;
const CODE_CONFIGURATION = /(?:^|\/)(?:[^/]+\.config|\.[^/]+rc)\.[cm]?[jt]s$/i;

/** First match wins. */
const RULES: readonly (readonly [BuiltInPrefix, ...RegExp[]])[] = [
  ["A", DECISION_FILE, DECISION_FOLDER],
  ["T", TEST_FOLDER, TEST_FILE],
  ["P", PREP],
  ["S", SCHEMA_FILE, SCHEMA_FOLDER, OPENAPI_FILE],
  ["PR", PROFILE_FOLDER, CODE_CONFIGURATION],
  ["H", CODE],
  ["PR", CONFIGURATION],
  ["D", DOCUMENT],
];

/** The alias prefix of a path with forward slashes, from its folders, name and extension alone. */
export function classifyPath(path: string): BuiltInPrefix {
  const match = RULES.find(([, ...patterns]) => patterns.some((pattern) => pattern.test(path)));
  return match?.[0] ?? "R";
}
