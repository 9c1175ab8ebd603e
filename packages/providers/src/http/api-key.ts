import { isRecord, recordAt } from "@ccl/core/json";
/** A key, or a function that gives it for each call. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>);

/** The key for one call: what was passed, else the environment variable, read now; undefined when there is none. */
export async function readApiKey(
  apiKey: ApiKey | undefined,
  variable: string | undefined,
): Promise<string | undefined> {
  const given = typeof apiKey === "function" ? await apiKey() : apiKey;
  if (given !== undefined || variable === undefined) return given === "" ? undefined : given;
  // By name and not as a global, since only some platforms have it.
  const platform: unknown = Reflect.get(globalThis, "process");
  const value = isRecord(platform) ? recordAt(platform, "env")[variable] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
