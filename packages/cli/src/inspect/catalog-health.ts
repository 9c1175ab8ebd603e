import type { ResourceRecord } from "@ccl/catalog";
import type { VerifyReport } from "@ccl/catalog/verify";
import type { CatalogView } from "@ccl/inspector";

type Doubt = (record: ResourceRecord, nowMs: number) => boolean;

/** Problems that are visible in the record itself. */
const doubts: readonly (readonly [name: string, about: string, holds: Doubt])[] = [
  [
    "stale",
    "Updated longer ago than its quality.freshness_sla_s allows.",
    ({ quality, updated_at }, nowMs) =>
      quality?.freshness_sla_s !== undefined &&
      nowMs - Date.parse(updated_at) > quality.freshness_sla_s * 1000,
  ],
  ["deprecated", "Tagged as deprecated.", ({ tags }) => tags.includes("deprecated")],
  [
    "no description",
    "It has no description, so a search only finds its names.",
    ({ description }) => isEmpty(description),
  ],
  [
    "columns not described",
    "None of its columns has a description.",
    ({ columns = [] }) =>
      columns.length > 0 && columns.every(({ description }) => isEmpty(description)),
  ],
  [
    "no card",
    "It has no columns and no snippets.",
    ({ columns = [], usage }) => columns.length === 0 && hasNoSnippet(usage),
  ],
  ["no snippet", "It has no example of its use.", ({ usage }) => hasNoSnippet(usage)],
  ["no owner", "It has no owner to ask.", ({ owner }) => isEmpty(owner)],
];

/** Problems that only a comparison with the sources reveals. */
const severities = {
  breaking: ["fails verify", "The catalog differs from its source or from a snippet."],
  unverified: ["unverified", "Its source was not asked or did not answer."],
  warning: ["verify warns", "A snippet may cost more than it should."],
} as const;

/** Finds the problems of each resource by id, including those that `ccl catalog verify` found if it ran. */
export function problemsById(
  records: readonly ResourceRecord[],
  { report, nowMs }: { report: VerifyReport | undefined; nowMs: number },
): Map<string, Set<string>> {
  const problems = new Map(
    records.map((record) => {
      const recordDoubts = doubts.flatMap(([name, , holds]) =>
        holds(record, nowMs) ? [name] : [],
      );
      return [record.id, new Set<string>(recordDoubts)];
    }),
  );
  for (const { resourceId, severity } of report?.findings ?? [])
    if (severity !== "notice") problems.get(resourceId)?.add(severities[severity][0]);
  return problems;
}

/** Counts the resources with each problem. Problems of the sources are included only after a verification. */
export function healthOf(
  problems: ReadonlyMap<string, ReadonlySet<string>>,
  isVerified: boolean,
): CatalogView["health"] {
  const all = [...problems.values()];
  const kinds = [...(isVerified ? Object.values(severities) : []), ...doubts];
  return kinds.map(([name, about]) => {
    return { name, about, count: all.filter((names) => names.has(name)).length };
  });
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

function hasNoSnippet(usage: ResourceRecord["usage"]): boolean {
  return (usage?.snippets ?? []).length === 0;
}
