import type { OperationProfile } from "../profile/operation-profile.ts";
import type { StoreCall } from "./store-call.ts";

/** How a profile is saved. */
export interface SaveProfileOptions extends StoreCall {
  /** The version that is replaced, 0 for a new profile. Undefined replaces whatever is there. */
  expectedVersion?: number | undefined;
}

/** Which profiles a page holds. */
export interface ListProfilesOptions extends StoreCall {
  /** From the page before. */
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

/** Where profiles are kept, each at its newest version. It checks nothing; engines do before they save. */
export interface ProfileStore {
  /**
   * Gives the profile as stored, with its new version: one more than before, 1 at first; `profile.version` is ignored.
   * @throws OperationsError `version_conflict` when another version is stored than expected
   */
  save(profile: OperationProfile, options?: SaveProfileOptions): Promise<OperationProfile>;
  load(profileId: string, options?: StoreCall): Promise<OperationProfile | undefined>;
  list(options?: ListProfilesOptions): Promise<ProfilePage>;
}
