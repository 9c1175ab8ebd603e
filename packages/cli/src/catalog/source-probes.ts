import type { ResourceInput } from "@ccl/catalog";
import { type ImportedSource, sourceKey } from "@ccl/catalog/node";
import type { ResourceProbe } from "@ccl/catalog/verify";

import type { Session } from "../session.ts";
import { loadSource } from "./load-source.ts";
import { draftOfKept } from "./source-draft.ts";

/** For each source a probe that reads it again, once, for the resources that came from it. They are known by their ids: operations of an API share addresses. */
export function sourceProbes(
  session: Session,
  sources: readonly ImportedSource[],
  onLoad: (source: ImportedSource, resources: readonly ResourceInput[]) => void,
): ResourceProbe[] {
  return sources.map((source) => {
    const ids = new Set(source.resources.map(({ id }) => id));
    const knows = source.kind === "sql" ? (["nn", "pk", "fk"] as const) : (["nn"] as const);
    return {
      name: sourceKey(source),
      handles: ({ id }) => ids.has(id),
      begin() {
        let loading: Promise<readonly ResourceInput[]> | undefined;
        let added: readonly ResourceInput[] | undefined;
        return {
          async probe({ id }) {
            loading ??= Promise.resolve().then(() =>
              loadSource(session, draftOfKept(session, source)),
            );
            const siblings = await loading;
            onLoad(source, siblings);
            // What was imported and taken out of the catalog is not new.
            added ??= siblings.filter((resource) => !ids.has(resource.id));
            const found = siblings.find((resource) => resource.id === id);
            if (found === undefined) {
              return {
                state: "missing",
                reason: `The source ${sourceKey(source)} no longer has it`,
                siblings,
                added,
              };
            }
            const { columns, shape } = found;
            return {
              state: "available",
              knows,
              siblings,
              added,
              columns,
              shape,
            };
          },
        };
      },
    };
  });
}
