import type { OperationProfile } from "../profile/operation-profile.ts";
import type { PageRequest, StoreCall } from "./chat-store.ts";

/** How to save a profile. */
export interface SaveProfileOptions extends StoreCall {
  /** The version to replace, 0 for a new profile. By default replaces any version. */
  expectedVersion?: number | undefined;
}

/** A page of profile ids, sorted by code units. */
export interface ProfilePage {
  profileIds: string[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Stores the newest version of each profile. Validates nothing, since engines do so before they save. */
export interface ProfileStore {
  /**
   * Returns the stored profile with its new version, which counts from 1. `profile.version` is ignored.
   * @throws OperationsError `conflict` if the stored version is not the expected one
   */
  save(profile: OperationProfile, options?: SaveProfileOptions): Promise<OperationProfile>;
  load(profileId: string, options?: StoreCall): Promise<OperationProfile | undefined>;
  list(options?: PageRequest): Promise<ProfilePage>;
}
