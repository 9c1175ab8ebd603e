import type { OperationConfig } from "../operation/operation-config.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";

/** An operation of a profile: its id and its configuration. */
export interface ProfileOperation {
  operationId: string;
  config: OperationConfig;
}

/** A stored set of operations. It holds JSON only, without secrets or code. */
export interface OperationProfile {
  /** Format of this record. 1 if absent. */
  formatVersion?: 1 | undefined;
  /** Stable, such as `rp-light`. */
  profileId: string;
  name: string;
  description?: string | undefined;
  /** False: a run consists of its main call only. */
  enabled: boolean;
  /** Part of the key of the profile's state between runs. A new id begins without state. */
  operationProfileSessionId: string;
  /** Set by the store. Counts from 1. */
  version?: number | undefined;
  operations: ProfileOperation[];
  /** Settings of the main call in runs of this profile. */
  turn?: TurnSettings | undefined;
}
