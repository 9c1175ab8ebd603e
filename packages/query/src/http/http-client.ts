import { parseRetryAfter, retry, throwIfAborted } from "@ccl/core/async";
import { readBodyText } from "@ccl/core/http";

import { QueryError } from "../query-error.ts";
import type { HttpConnectorOptions } from "./http-options.ts";
import { isBelow } from "./request-url.ts";

/** One page of an answer. */
export interface HttpAnswer {
  value: unknown;
  text: string;
  /** The Link header. */
  link: string | undefined;
}

/** Reads one URL. All requests of a call share a byte limit. */
export type HttpCall = (url: URL, signal: AbortSignal | undefined) => Promise<HttpAnswer>;

interface ClientOptions extends HttpConnectorOptions {
  base: URL;
  name: string;
}

const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const requestTimeoutMs = 30_000;
const maxRedirects = 5;
const maxRetries = 3;
/** Failures that may be temporary, with the delay that Retry-After requests. */
const waits = new WeakMap<QueryError, number | "backoff">();

/**
 * Creates a function that requests a resource's pages. It retries temporary failures, respects Retry-After, and
 * never follows links outside the base address.
 */
export function createHttpCall(options: ClientOptions, resource: string): HttpCall {
  const max = options.maxBytes ?? 64 * 1024 * 1024;
  const bytes = { left: max, max };
  return async (url, signal = new AbortController().signal) => {
    const request = { url, resource, bytes, signal };
    try {
      return await retry(() => attemptOnce(options, request), {
        retries: maxRetries,
        signal,
        waitFor: (error) => (QueryError.isInstance(error) ? waits.get(error) : undefined),
      });
    } catch (error) {
      throwIfAborted(signal, QueryError);
      throw error;
    }
  };
}

interface Request {
  url: URL;
  resource: string;
  bytes: { left: number; max: number };
  signal: AbortSignal;
}

/** Sends one request and follows its redirects. */
async function attemptOnce(
  options: ClientOptions,
  { url, resource, bytes, signal }: Request,
): Promise<HttpAnswer> {
  const { base, name } = options;
  const timeout = AbortSignal.timeout(requestTimeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  let target = url;
  try {
    for (let redirects = 0; ; redirects++) {
      const headers = {
        accept: "application/json",
        ...(await options.auth?.({ resource, signal: either })),
      };
      const init = { method: "GET", headers, redirect: "manual", signal: either } as const;
      const response = await (options.fetch?.(target.href, init) ?? fetch(target.href, init));
      const { status } = response;
      if (status >= 300 && status < 400) {
        await response.body?.cancel();
        target = redirected(response, { target, base, name, redirects });
        continue;
      }
      if (response.ok) return await answerOf(response, { name, resource, bytes, signal: either });
      await response.body?.cancel();
      throw refusal(response, { name, resource });
    }
  } catch (error) {
    throwIfAborted(signal, QueryError);
    if (QueryError.isInstance(error)) throw error;
    // The connection failed or the body ended early. Requests only read, so retrying is safe.
    const reason = timeout.aborted
      ? `no answer within ${requestTimeoutMs} ms`
      : "the connection failed";
    const message = `${name} could not be read for ${JSON.stringify(resource)}: ${reason}.`;
    const failure = new QueryError("source_failed", message, { cause: error });
    waits.set(failure, "backoff");
    throw failure;
  }
}

function refusal(
  { status, headers }: Response,
  { name, resource }: { name: string; resource: string },
): QueryError {
  const message = `${name} answered ${status} for ${JSON.stringify(resource)}.`;
  const error = new QueryError("source_failed", message, { details: { status } });
  const wait = parseRetryAfter(headers.get("retry-after"), Date.now());
  if (passing.has(status)) waits.set(error, wait ?? "backoff");
  return error;
}

function redirected(
  response: Response,
  { target, base, name, redirects }: { target: URL; base: URL; name: string; redirects: number },
): URL {
  const location = response.headers.get("location") ?? "";
  const next = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
  if (next !== undefined && redirects < maxRedirects && isBelow(next, base)) return next;
  const message = `${name} redirects outside of the base address, or in a circle.`;
  throw new QueryError("source_failed", message, { details: { status: response.status } });
}

async function answerOf(
  response: Response,
  { name, resource, bytes, signal }: Omit<Request, "url"> & { name: string },
): Promise<HttpAnswer> {
  const type = response.headers.get("content-type") ?? "";
  if (!/[/+]json\b/i.test(type)) {
    await response.body?.cancel();
    throw new QueryError(
      "value_invalid",
      `${name} answered with ${JSON.stringify(type.slice(0, 60))} for ${JSON.stringify(resource)}, not with JSON.`,
    );
  }
  const text = await textOf(response, { name, bytes, signal });
  try {
    return { value: JSON.parse(text), text, link: response.headers.get("link") ?? undefined };
  } catch (error) {
    throw new QueryError(
      "value_invalid",
      `${name} answered with JSON that does not parse for ${JSON.stringify(resource)}.`,
      { cause: error },
    );
  }
}

/**
 * Returns the text of an answer and subtracts its size from `bytes.left`.
 * @throws QueryError `limit_exceeded`, `value_invalid` for bytes that are not UTF-8
 */
async function textOf(
  { body }: Response,
  { name, bytes, signal }: Pick<Request, "bytes" | "signal"> & { name: string },
): Promise<string> {
  const read = await readBodyText(body, { maxBytes: bytes.left, signal });
  if (read.status === "too_large") {
    const message = `${name} returned more than ${bytes.max} bytes; filter, or raise maxBytes.`;
    const details = { limit: "maxBytes", max: bytes.max };
    throw new QueryError("limit_exceeded", message, { details });
  }
  if (read.status === "invalid_utf8")
    throw new QueryError("value_invalid", `${name} answered with bytes that are not valid UTF-8.`);
  // A retried page counts only once.
  bytes.left -= read.sizeBytes;
  return read.text;
}
