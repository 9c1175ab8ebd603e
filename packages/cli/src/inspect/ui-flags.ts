/** Flags of `ccl ui`. */
export interface UiFlags {
  /** The file to write instead of serving. */
  export?: string | undefined;
  port?: number | undefined;
  state?: string | undefined;
  agents?: string | undefined;
  /** Where `recordTo` of @ccl/inspector writes. */
  records?: string | undefined;
  runs?: string | undefined;
  gateway?: string | undefined;
  /** The variable with the gateway's token. */
  tokenEnv?: string | undefined;
}
