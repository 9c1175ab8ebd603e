import { LanguageModelError, type Clock } from "@ccl/core";

import type { ApiKey } from "./api-key.ts";

/** A provider's address and how to reach it. All HTTP adapters share these options. */
export interface EndpointOptions {
  /** Root of the API, without the path of a call. A query is kept in each call. */
  baseUrl?: string | undefined;
  /** Sent to `baseUrl` only. Never kept in the model's own fields, and masked in errors. */
  apiKey?: ApiKey | undefined;
  /** Headers of each call. They override the adapter's own. */
  headers?: Record<string, string> | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Limit of calls that give no `timeoutMs`, retries included. Without either there is no limit. */
  timeoutMs?: number | undefined;
  /**
   * How often a call is retried after a failure that may be temporary: 408, 409, 429, 5xx, or no answer. Retries wait as
   * `Retry-After` says. An answer that breaks off is not retried. 0 turns retries off. Default: 2.
   */
  retries?: number | undefined;
  /** The clock against which a `Retry-After` date is read. */
  clock?: Clock | undefined;
}

/** The address of one API call. @throws LanguageModelError `invalid_request` if the address is not usable. */
export function callUrl(baseUrl: string, path: string): URL {
  const fail = (problem: string): LanguageModelError =>
    new LanguageModelError("invalid_request", `baseUrl ${problem}`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw fail("is not an http or https address; write it out in full.");
  if (url.username !== "" || url.password !== "")
    throw fail("holds a user name or password; pass them in `headers`.");
  const [pathname = "", query] = path.split("?");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${pathname}`;
  if (query !== undefined) url.search = `${url.search === "" ? "?" : `${url.search}&`}${query}`;
  return url;
}

/** An address for error messages, without user, query and fragment. */
export function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname;
}
