import { LanguageModelError, type Clock } from "@ccl/core";

import type { ApiKey } from "./api-key.ts";

/** The address of a provider and how to call it. All HTTP adapters share these options. */
export interface EndpointOptions {
  /** Base URL of the API, without the path of a call. Its query string is added to each call. */
  baseUrl?: string | undefined;
  /** Sent to `baseUrl` only. Never stored in the model's own fields. Masked in errors. */
  apiKey?: ApiKey | undefined;
  /** Headers for each call. They override the adapter's own headers. */
  headers?: Record<string, string> | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Time limit for calls without their own `timeoutMs`, including retries. No limit if neither is set. */
  timeoutMs?: number | undefined;
  /**
   * Maximum number of retries after a failure that may be temporary: 408, 409, 429, 5xx, or no answer. Waits as long as
   * `Retry-After` says. An answer that breaks off is not retried. 0 disables retries. Default: 2.
   */
  retries?: number | undefined;
  /** Clock to compare a `Retry-After` date with. */
  clock?: Clock | undefined;
}

/**
 * Returns the URL of an API call.
 * @throws LanguageModelError `invalid_request` if the URL is invalid
 */
export function callUrl(baseUrl: string, path: string): URL {
  const fail = (problem: string): LanguageModelError =>
    new LanguageModelError("invalid_request", `baseUrl ${problem}`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw fail("is not an http or https address; write it out in full.");
  if (url.username !== "" || url.password !== "")
    throw fail("contains a user name or password; pass them in `headers`.");
  const [pathname = "", query] = path.split("?");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${pathname}`;
  if (query !== undefined) url.search = `${url.search === "" ? "?" : `${url.search}&`}${query}`;
  return url;
}

/** Returns the URL to show in error messages, without user, query and fragment. */
export function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname;
}
