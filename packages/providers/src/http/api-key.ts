import { isRecord, recordAt } from "@ccl/core/json";
/** An API key, or a function that returns it for each call. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>);

/** Returns the passed key, else the current value of the environment variable. Returns undefined if neither is set. */
export async function readApiKey(
  apiKey: ApiKey | undefined,
  variable: string | undefined,
): Promise<string | undefined> {
  const given = typeof apiKey === "function" ? await apiKey() : apiKey;
  if (given !== undefined || variable === undefined) return given === "" ? undefined : given;
  // Looks `process` up by name, since only some platforms have it.
  const platform: unknown = Reflect.get(globalThis, "process");
  const value = isRecord(platform) ? recordAt(platform, "env")[variable] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
