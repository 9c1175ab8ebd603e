import { LanguageModelError, type Clock } from "@ccl/core";

import type { ApiKey } from "./api-key.ts";

/** Where a provider is and how to reach it; the options that all HTTP adapters share. */
export interface EndpointOptions {
  /** Root of the API, without the path of a call. May have a query, which each call keeps. */
  baseUrl?: string | undefined;
  /** Sent to `baseUrl` only. Never kept in the model's own fields, and masked in errors. */
  apiKey?: ApiKey | undefined;
  /** Sent with each call; they win over the adapter's own. */
  headers?: Record<string, string> | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** For calls that give no `timeoutMs`, retries included; without either a call may take for ever. */
  timeoutMs?: number | undefined;
  /**
   * Calls after one that failed in a way that may pass: 408, 409, 429, 5xx, or no answer. They wait as `Retry-After`
   * says. An answer that breaks off is not asked for again. 0 turns it off. Default: 2.
   */
  retries?: number | undefined;
  /** The clock against which a `Retry-After` date is read. */
  clock?: Clock | undefined;
}

/** An address of one API call. @throws LanguageModelError `invalid_request` for an address that can't be called. */
export function callUrl(baseUrl: string, path: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new LanguageModelError(
      "invalid_request",
      "baseUrl is not an http or https address; write it out in full.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new LanguageModelError(
      "invalid_request",
      "baseUrl holds a user name or password; pass them in `headers`.",
    );
  }
  const [pathname = "", query] = path.split("?");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${pathname}`;
  if (query !== undefined) url.search = `${url.search === "" ? "?" : `${url.search}&`}${query}`;
  return url;
}

/** An address for an error message: without a user, a query and what stands behind `#`. */
export function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname;
}
