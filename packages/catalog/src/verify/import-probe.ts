import type { ResourceDetails, ResourceInput } from "../record/resource-record.ts";
import type { ProbeAnswer, ResourceProbe } from "./resource-probe.ts";

/** What a probe is built from. */
export interface ImportProbeOptions {
  name: string;
  /** Prefix of the uris that the probe handles, like `ada://any/db/pg:main/`. */
  uriPrefix: string;
  /** Imports the current resources of the source. Called once per verification. */
  load: (options: { signal: AbortSignal }) => Promise<readonly ResourceInput[]>;
  knows?: readonly ("nn" | "pk" | "fk")[] | undefined;
}

/**
 * Compares resources with what an importer returns now, matched by id. A resource whose id is gone is matched by its
 * uri if that is unique: operations of an API, and tools of a server, share theirs. Works with any importer.
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
      let loading: Promise<Sources> | undefined;
      return {
        async probe(resource): Promise<ProbeAnswer> {
          loading ??= load({ signal }).then(sourcesOf);
          const sources = await loading;
          const found = findSource(sources, resource);
          if (found === undefined) {
            return {
              state: "missing",
              reason: `The source ${name} has no such resource`,
              siblings: sources.all,
            };
          }
          return {
            state: "available",
            columns: found.columns,
            shape: found.shape,
            knows,
            siblings: sources.all,
          };
        },
      };
    },
  };
}

interface Sources {
  all: readonly ResourceInput[];
  /** Undefined for a uri that several resources share. */
  byUri: ReadonlyMap<string, ResourceInput | undefined>;
  byId: ReadonlyMap<string, ResourceInput>;
}

function sourcesOf(all: readonly ResourceInput[]): Sources {
  const byUri = new Map<string, ResourceInput | undefined>();
  for (const resource of all) {
    if (resource.uri !== undefined)
      byUri.set(resource.uri, byUri.has(resource.uri) ? undefined : resource);
  }
  return { all, byUri, byId: new Map(all.map((resource) => [resource.id, resource])) };
}

function findSource(
  { byUri, byId }: Sources,
  { uri, id }: ResourceDetails,
): ResourceInput | undefined {
  return byId.get(id) ?? byUri.get(uri ?? "");
}
