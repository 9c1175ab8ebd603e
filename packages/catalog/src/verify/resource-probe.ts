import type {
  ResourceColumn,
  ResourceDetails,
  ResourceInput,
  ResourceShape,
} from "../record/resource-record.ts";

/** A source's report about one resource. */
export type ProbeAnswer =
  | {
      state: "available";
      /** The current columns. Absent if the source does not report them. */
      columns?: ResourceColumn[] | undefined;
      /** Facts that `columns` contain besides names and types. Defaults to none. */
      knows?: readonly ("nn" | "pk" | "fk")[] | undefined;
      shape?: ResourceShape | undefined;
      /** Everything that the source has. Used to check snippets. */
      siblings?: readonly ResourceInput[] | undefined;
      /** Resources added since the last import. Defaults to all siblings that the catalog lacks. */
      added?: readonly ResourceInput[] | undefined;
    }
  | {
      state: "missing" | "unreachable";
      reason: string;
      siblings?: readonly ResourceInput[] | undefined;
      /** Resources added since the last import. Defaults to all siblings that the catalog lacks. */
      added?: readonly ResourceInput[] | undefined;
    };

/** A probe of one source during one verification. It may reuse data that it read for other resources. */
export interface ProbeRun {
  /**
   * Returns the source's report about a resource. Called only for resources that the probe handles.
   * A rejection counts as unreachable.
   */
  probe(resource: ResourceDetails, options: { signal: AbortSignal }): Promise<ProbeAnswer>;
}

/** Checks whether the target of a uri exists, and describes it. */
export interface ResourceProbe {
  name: string;
  /** True if the probe can check the resource. If several can, the first is used. */
  handles(resource: ResourceDetails): boolean;
  /** Starts a verification, which ends when `signal` aborts. */
  begin(options: { signal: AbortSignal }): ProbeRun;
}
