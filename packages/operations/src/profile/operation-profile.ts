import type { OperationConfig } from "../operation/operation-config.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";

/** An operation of a profile: which one, and how it is set. */
export interface ProfileOperation {
  operationId: string;
  config: OperationConfig;
}

/** A stored set of operations. It holds JSON only, no secret, and runs nothing by itself. */
export interface OperationProfile {
  /** Of this record; 1 where it is absent. */
  formatVersion?: 1 | undefined;
  /** Stable, like `rp-light`. */
  profileId: string;
  name: string;
  description?: string | undefined;
  /** False: a run makes its main call and nothing else. */
  enabled: boolean;
  /** Part of the key of the profile's state between runs; a new one begins afresh. */
  operationProfileSessionId: string;
  /** Counted by the store, from 1. */
  version?: number | undefined;
  operations: ProfileOperation[];
  /** How the main model is asked in runs of this profile. */
  turn?: TurnSettings | undefined;
}
