/** Flags of `ccl ui`. */
export interface UiFlags {
  /** The file to write instead of serving. */
  export?: string | undefined;
  port?: number | undefined;
  state?: string | undefined;
  agents?: string | undefined;
  /** The folder that `recordTo` of @ccl/inspector writes to. */
  records?: string | undefined;
  runs?: string | undefined;
  gateway?: string | undefined;
  /** The variable that holds the gateway's token. */
  tokenEnv?: string | undefined;
}
