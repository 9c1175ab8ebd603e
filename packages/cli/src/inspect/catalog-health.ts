import type { ResourceRecord } from "@ccl/catalog";
import type { VerifyReport } from "@ccl/catalog/verify";
import type { CatalogView } from "@ccl/inspector";

type Doubt = (record: ResourceRecord, nowMs: number) => boolean;

/** Problems that a record itself shows. */
const doubts: Readonly<Record<string, { about: string; holds: Doubt }>> = {
  stale: {
    about: "Updated longer ago than its quality.freshness_sla_s allows.",
    holds: ({ quality, updated_at }, nowMs) =>
      quality?.freshness_sla_s !== undefined &&
      nowMs - Date.parse(updated_at) > quality.freshness_sla_s * 1000,
  },
  deprecated: {
    about: "Tagged as deprecated.",
    holds: ({ tags }) => tags.includes("deprecated"),
  },
  "no description": {
    about: "Nothing says what it is for, so that a search finds names only.",
    holds: ({ description }) => isEmpty(description),
  },
  "columns not described": {
    about: "None of its columns has a description.",
    holds: ({ columns = [] }) =>
      columns.length > 0 && columns.every(({ description }) => isEmpty(description)),
  },
  "no card": {
    about: "It has a row only: no columns and no snippets.",
    holds: ({ columns = [], usage }) => columns.length === 0 && noSnippet(usage),
  },
  "no snippet": {
    about: "Nothing shows how it is used.",
    holds: ({ usage }) => noSnippet(usage),
  },
  "no owner": { about: "Nobody is named to ask.", holds: ({ owner }) => isEmpty(owner) },
};

/** Problems that only a comparison with the sources shows. */
const severities = {
  breaking: ["fails verify", "What the catalog says is not what its source or a snippet says."],
  unverified: ["unverified", "Its source was not asked, or gave no answer."],
  warning: ["verify warns", "A snippet may cost more than it should."],
} as const;

/** The problems of each resource by id, including those that `ccl catalog verify` found if it ran. */
export function problemsById(
  records: readonly ResourceRecord[],
  { report, nowMs }: { report: VerifyReport | undefined; nowMs: number },
): Map<string, string[]> {
  const problems = new Map<string, string[]>();
  for (const record of records) {
    const names = Object.keys(doubts).filter((name) => doubts[name]?.holds(record, nowMs));
    problems.set(record.id, names);
  }
  for (const { resourceId, severity } of report?.findings ?? []) {
    const names = problems.get(resourceId);
    const name = severity === "notice" ? undefined : severities[severity][0];
    if (name !== undefined && names?.includes(name) === false) names.push(name);
  }
  return problems;
}

/** How many resources have each problem. Problems of the sources are included only after a verification. */
export function healthOf(
  problems: ReadonlyMap<string, readonly string[]>,
  isVerified: boolean,
): CatalogView["health"] {
  const counts = new Map<string, number>();
  for (const names of problems.values())
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const kinds = [
    ...(isVerified ? Object.values(severities) : []),
    ...Object.entries(doubts).map(([name, { about }]) => [name, about] as const),
  ];
  return kinds.map(([name, about]) => ({ name, about, count: counts.get(name) ?? 0 }));
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

function noSnippet(usage: ResourceRecord["usage"]): boolean {
  return (usage?.snippets ?? []).length === 0;
}
