import type { ResourceInput } from "../record/resource-record.ts";
import type { ProbeAnswer, ResourceProbe } from "./resource-probe.ts";

/** Options of `importProbe`. */
export interface ImportProbeOptions {
  name: string;
  /** Prefix of the uris that the probe handles, e.g. `ada://any/db/pg:main/`. */
  uriPrefix: string;
  /** Imports the current resources of the source. Called once per verification. */
  load: (options: { signal: AbortSignal }) => Promise<readonly ResourceInput[]>;
  knows?: readonly ("nn" | "pk" | "fk")[] | undefined;
}

/**
 * Compares resources with a new import. Matches them by id, or by uri if the id is gone and the uri is unique
 * (operations of an API share one, as do tools of a server). Works with any importer.
 */
export function importProbe({
  name,
  uriPrefix,
  load,
  knows = [],
}: ImportProbeOptions): ResourceProbe {
  return {
    name,
    handles: ({ uri }) => uri?.startsWith(uriPrefix) === true,
    begin({ signal }) {
      let loading: Promise<readonly ResourceInput[]> | undefined;
      return {
        async probe({ id, uri }): Promise<ProbeAnswer> {
          loading ??= load({ signal });
          const siblings = await loading;
          const [other, ...more] = siblings.filter((resource) => resource.uri === uri);
          const sameId = siblings.find((resource) => resource.id === id);
          const found = sameId ?? (more.length === 0 ? other : undefined);
          if (found !== undefined)
            return {
              state: "available",
              columns: found.columns,
              shape: found.shape,
              knows,
              siblings,
            };
          const reason = `The source ${name} has no such resource`;
          return { state: "missing", reason, siblings };
        },
      };
    },
  };
}
