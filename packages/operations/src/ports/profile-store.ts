import type { OperationProfile } from "../profile/operation-profile.ts";
import type { StoreCall } from "./store-call.ts";

/** How a profile is saved. */
export interface SaveProfileOptions extends StoreCall {
  /** The version to replace, 0 for a new profile. By default any version is replaced. */
  expectedVersion?: number | undefined;
}

/** Which profiles to list. */
export interface ListProfilesOptions extends StoreCall {
  /** The cursor of the previous page. */
  cursor?: string | undefined;
  /** 100 by default, at most 1,000. */
  limit?: number | undefined;
}

/** A page of profile ids, in the order of their code units. */
export interface ProfilePage {
  profileIds: string[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Stores profiles, each in its newest version. It validates nothing, since engines do so before they save. */
export interface ProfileStore {
  /**
   * Returns the stored profile with its new version, which counts from 1. `profile.version` is ignored.
   * @throws OperationsError `conflict` if the stored version is not the expected one
   */
  save(profile: OperationProfile, options?: SaveProfileOptions): Promise<OperationProfile>;
  load(profileId: string, options?: StoreCall): Promise<OperationProfile | undefined>;
  list(options?: ListProfilesOptions): Promise<ProfilePage>;
}
