import type {
  ResourceColumn,
  ResourceDetails,
  ResourceInput,
  ResourceShape,
} from "../record/resource-record.ts";

/** What a source says of a resource. */
export type ProbeAnswer =
  | {
      state: "available";
      /** As they are now; absent where the source does not tell. */
      columns?: ResourceColumn[] | undefined;
      /** What else than names and types `columns` tell; nothing by default. */
      knows?: readonly ("nn" | "pk" | "fk")[] | undefined;
      shape?: ResourceShape | undefined;
      /** All that the source has, so that snippets can be held against it. */
      siblings?: readonly ResourceInput[] | undefined;
      /** Those that came since the last import; where absent, all siblings that the catalog lacks. */
      added?: readonly ResourceInput[] | undefined;
    }
  | {
      state: "missing" | "unreachable";
      reason: string;
      siblings?: readonly ResourceInput[] | undefined;
      /** Those that came since the last import; where absent, all siblings that the catalog lacks. */
      added?: readonly ResourceInput[] | undefined;
    };

/** Asks one source during one verification; what it reads for one resource may serve the others. */
export interface ProbeRun {
  /** Called only for resources that the probe is for. A rejection counts as unreachable. */
  probe(resource: ResourceDetails, options: { signal: AbortSignal }): Promise<ProbeAnswer>;
}

/** A way to find out whether what a uri names is there, and what it is like. */
export interface ResourceProbe {
  name: string;
  /** Whether the probe is for the resource; of several the first counts. */
  handles(resource: ResourceDetails): boolean;
  /** Begins a verification; `signal` ends it. */
  begin(options: { signal: AbortSignal }): ProbeRun;
}
