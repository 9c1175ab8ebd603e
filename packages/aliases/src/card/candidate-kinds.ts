import type { SourceInput } from "../outline/outline.ts";
import type { ReadKind } from "./card.ts";

const kindByPrefix: ReadonlyMap<string, ReadKind> = new Map([
  ["A", "decision"],
  ["P", "options"],
  ["S", "schema"],
  ["PR", "profile"],
  ["C", "profile"],
  ["T", "test"],
  ["D", "doc"],
  ["H", "code"],
]);

const codePath =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|swift|scala|sh|vue|svelte|astro|ipynb)$/i;
const testPath =
  /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)s?\.[a-z]+$|(?:^|\/)test_[^/]*\.py$|Tests?\.(?:java|kt)$/i;
const decisionPath = /(?:^|\/)(?:adrs?|decisions?)\/|(?:^|\/)adr[-_]?\d/i;
const proseAnnounced = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt)$/i;
const schemaPath = /\.(?:proto|graphqls?|gql|sql|avsc)$|schema/i;

/** Returns the kind for an alias's prefix, or undefined for a user-defined prefix. */
export function kindOfAlias(alias: string): ReadKind | undefined {
  return kindByPrefix.get(alias.slice(0, Math.max(0, alias.indexOf("."))));
}

/** Returns the kinds to try, likeliest first: the prefix's, then the path's. */
export function candidateKinds({ alias = "", path }: SourceInput): ReadKind[] {
  return [...new Set([kindOfAlias(alias) ?? [], kindsOfPath(path)].flat())];
}

function kindsOfPath(path: string): ReadKind[] {
  if (proseAnnounced.test(path)) return decisionPath.test(path) ? ["decision", "doc"] : ["doc"];
  if (codePath.test(path)) return testPath.test(path) ? ["test", "code"] : ["code", "test"];
  return schemaPath.test(path)
    ? ["schema", "options", "profile", "doc"]
    : ["schema", "options", "profile"];
}
