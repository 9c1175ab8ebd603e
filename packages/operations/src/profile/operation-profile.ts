import type { OperationConfig } from "../operation/operation-config.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";

/** An operation of a profile: its id and its configuration. */
export interface ProfileOperation {
  operationId: string;
  config: OperationConfig;
}

/** A stored set of operations. It contains only JSON, without secrets or code. */
export interface OperationProfile {
  /** Format of this record. Defaults to 1. */
  formatVersion?: 1 | undefined;
  /** Stable id, such as `rp-light`. */
  profileId: string;
  name: string;
  description?: string | undefined;
  /** If false, a run consists only of its main call. */
  enabled: boolean;
  /** Part of the key of the profile's state between runs. A new id starts without state. */
  operationProfileSessionId: string;
  /** Set by the store. Counts from 1. */
  version?: number | undefined;
  operations: ProfileOperation[];
  /** Settings of the main call in this profile's runs. */
  turn?: TurnSettings | undefined;
}
