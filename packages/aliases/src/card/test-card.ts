import type { NamedItem } from "./describe-list.ts";
import type { ItemGroup } from "./pack-items.ts";

const quoted = (name: string): string =>
  `(?<${name}Quote>["'\`])(?<${name}>(?:\\\\.|(?!\\k<${name}Quote>)[^\\\\\\n]){1,300})`;
/** Skips the table of `.each`, which ends on the same line or at the start of a later line. */
const table = String.raw`(?:[^\n]{0,300}?\)\()?`;

/**
 * How test runners mark subjects and cases. In Python, an unindented case (see `indent`) ends the
 * preceding subject.
 */
const conventions: readonly { paths: RegExp; mark: RegExp }[] = [
  {
    paths: /\.[cm]?[jt]sx?$/,
    mark: new RegExp(
      String.raw`^[ \t]*(?:(?:describe|suite|context)(?:\.\w+)*\(${table}\s*${quoted("subject")}` +
        String.raw`|(?:(?:it|test|specify)(?:\.\w+)*\(${table}|\](?: as const)?\)\(|${"`"}\()\s*${quoted("testCase")})`,
      "gm",
    ),
  },
  {
    paths: /\.py$/,
    mark: /^(?:class\s+(?<subject>Test\w*|\w+Tests?)\b|(?<indent>[ \t]*)(?:async\s+)?def\s+(?<testCase>test\w*))/gm,
  },
  {
    paths: /\.go$/,
    mark: /^(?:func\s+(?<subject>(?:Test|Fuzz)\w*)\(|[ \t]+\w+\.Run\("(?<testCase>[^"\n]{1,300})")/gm,
  },
  {
    paths: /\.rs$/,
    mark: /^[ \t]*#\[(?:\w+::)*test\b[^\n]*\n(?:[ \t]*#\[[^\n]*\n){0,9}[ \t]*(?:pub\s+)?(?:async\s+)?fn\s+(?<testCase>\w+)/gm,
  },
  {
    paths: /\.(?:java|kt)$/,
    mark: /^(?:(?:[a-z]+[ \t]+)*class\s+(?<subject>\w+)|[ \t]*@(?:Parameterized)?Test\b[^\n]*\n(?:[ \t]*@[^\n]*\n){0,9}[^\n(]*?(?<testCase>\w+|`[^`\n]+`)\()/gm,
  },
];

/**
 * Returns subjects with the names of their cases, following the conventions of the path's language.
 * Returns undefined if there are none.
 */
export function readTests(path: string, text: string): ItemGroup[] | undefined {
  const mark = conventions.find(({ paths }) => paths.test(path))?.mark;
  if (mark === undefined) return undefined;
  const groups: ItemGroup[] = [];
  for (const { groups: found } of text.matchAll(mark)) {
    const subject = found?.["subject"];
    const testCase = found?.["testCase"];
    if (subject !== undefined) groups.push({ subject, items: [] });
    if (testCase === undefined) continue;
    const isOutside = found?.["indent"] === "" && groups.at(-1)?.subject !== "";
    if (groups.length === 0 || isOutside) groups.push({ subject: "", items: [] });
    groups.at(-1)?.items.push(testCase);
  }
  const joined = joinBare(groups);
  return joined.length === 0 ? undefined : joined;
}

/** Treats subjects without cases as cases, so that adjacent ones share a line. */
function joinBare(groups: readonly ItemGroup[]): ItemGroup[] {
  const joined: ItemGroup[] = [];
  for (const group of groups) {
    const last = joined.at(-1);
    if (group.items.length > 0) joined.push(group);
    else if (last?.subject === "") last.items.push(group.subject);
    else joined.push({ subject: "", items: [group.subject] });
  }
  return joined;
}

/** Returns the cases by name, each after its subject. */
export function casesOf(groups: readonly ItemGroup[]): NamedItem[] {
  return groups.flatMap(({ subject, items }) =>
    (items.length > 0 ? items : [""]).map((item) => ({
      key: [subject, item].filter((part) => part !== "").join(": "),
    })),
  );
}
