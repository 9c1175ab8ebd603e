import { backoffDelay, parseRetryAfter, sleep, throwIfAborted } from "@ccl/core/async";
import { readBodyText } from "@ccl/core/http";

import { QueryError } from "../query-error.ts";
import type { HttpConnectorOptions, HttpFetch } from "./http-options.ts";
import { isBelow } from "./request-url.ts";

/** One page of an answer. */
export interface HttpAnswer {
  value: unknown;
  text: string;
  /** The Link header. */
  link: string | undefined;
}

/** The requests of one call, which share a byte limit. */
interface HttpCall {
  get(url: URL, signal: AbortSignal | undefined): Promise<HttpAnswer>;
}

/** Sends requests to an API. */
export interface HttpClient {
  begin(resource: string): HttpCall;
}

interface ClientOptions extends HttpConnectorOptions {
  base: URL;
  name: string;
}

interface Settled extends ClientOptions {
  send: HttpFetch;
  wait: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const requestTimeoutMs = 30_000;
const maxRedirects = 5;
const maxRetries = 3;
const backoff = { firstMs: 200, maxMs: 10_000 };
/** The longest wait that a server may ask for in Retry-After (RFC 9110, 10.2.3). */
const maxWaitMs = 60_000;

/** A client that retries temporary failures, obeys Retry-After, and follows no link out of the base address. */
export function createHttpClient(options: ClientOptions): HttpClient {
  const send: HttpFetch = options.fetch ?? ((url, init) => fetch(url, init));
  const settled: Settled = {
    ...options,
    send,
    wait: options.wait ?? sleep,
  };
  return {
    begin(resource) {
      const max = options.maxBytes ?? 64 * 1024 * 1024;
      const bytes = { left: max, max };
      return {
        get: (url, signal) =>
          getWithRetries(settled, {
            url,
            resource,
            bytes,
            signal: signal ?? new AbortController().signal,
          }),
      };
    },
  };
}

interface Request {
  url: URL;
  resource: string;
  bytes: { left: number; max: number };
  signal: AbortSignal;
}

type Outcome = { answer: HttpAnswer } | { retryAfter: string | undefined; error: QueryError };

async function getWithRetries(options: Settled, request: Request): Promise<HttpAnswer> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(options, request);
    if ("answer" in outcome) return outcome.answer;
    if (attempt >= maxRetries) throw outcome.error;
    const { error } = outcome;
    const wantedMs = parseRetryAfter(outcome.retryAfter, Date.now());
    if (wantedMs !== undefined && wantedMs > maxWaitMs) {
      const message = `${error.message} It asks for a wait of ${wantedMs} ms; ${maxWaitMs} are the most.`;
      throw new QueryError("source_failed", message, { cause: error });
    }
    const waitMs = wantedMs ?? backoffDelay(attempt, backoff);
    await waitAborting(options, waitMs, request.signal);
  }
}

async function waitAborting(
  { wait }: Settled,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await wait(durationMs, signal);
  } catch (error) {
    throwIfAborted(signal, QueryError);
    throw error;
  }
  throwIfAborted(signal, QueryError);
}

/** Sends one request and follows its redirects. Returns failures that may be retried and throws the others. */
async function attemptOnce(
  options: Settled,
  { url, resource, bytes, signal }: Request,
): Promise<Outcome> {
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
      const response = await options.send(target.href, {
        method: "GET",
        headers,
        redirect: "manual",
        signal: either,
      });
      const { status } = response;
      if (status >= 300 && status < 400) {
        await response.body?.cancel();
        target = redirected(response, { target, base, name, redirects });
        continue;
      }
      if (!response.ok) {
        await response.body?.cancel();
        const error = new QueryError(
          "source_failed",
          `${name} answered ${status} for ${JSON.stringify(resource)}.`,
          {
            details: { status },
          },
        );
        return refused(error, response);
      }
      return { answer: await answerOf(response, { name, resource, bytes, signal: either }) };
    }
  } catch (error) {
    throwIfAborted(signal, QueryError);
    if (QueryError.isInstance(error)) throw error;
    // The connection failed or the body ended early. Requests only read, so a retry is safe.
    const reason = timeout.aborted
      ? `no answer within ${requestTimeoutMs} ms`
      : "the connection failed";
    const failure = new QueryError(
      "source_failed",
      `${name} could not be read for ${JSON.stringify(resource)}: ${reason}.`,
      { cause: error },
    );
    return { error: failure, retryAfter: undefined };
  }
}

function refused(error: QueryError, { status, headers }: Response): Outcome {
  if (passing.has(status)) return { error, retryAfter: headers.get("retry-after") ?? undefined };
  throw error;
}

function redirected(
  response: Response,
  { target, base, name, redirects }: { target: URL; base: URL; name: string; redirects: number },
): URL {
  const location = response.headers.get("location") ?? "";
  const next = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
  if (next !== undefined && redirects < maxRedirects && isBelow(next, base)) return next;
  throw new QueryError(
    "source_failed",
    `${name} leads on to an address outside of the base address, or in a circle.`,
    {
      details: { status: response.status },
    },
  );
}

async function answerOf(
  response: Response,
  {
    name,
    resource,
    bytes,
    signal,
  }: { name: string; resource: string; bytes: Request["bytes"]; signal: AbortSignal },
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
 * The text of an answer. Subtracts its bytes from `bytes.left`.
 * @throws QueryError `limit_exceeded`, `value_invalid` for bytes that are not UTF-8
 */
async function textOf(
  { body }: Response,
  { name, bytes, signal }: { name: string; bytes: Request["bytes"]; signal: AbortSignal },
): Promise<string> {
  const read = await readBodyText(body, { maxBytes: bytes.left, signal });
  if (read.status === "too_large") {
    const message = `${name} gave more than ${bytes.max} bytes; filter, or raise maxBytes.`;
    const details = { limit: "maxBytes", max: bytes.max };
    throw new QueryError("limit_exceeded", message, { details });
  }
  if (read.status === "invalid_utf8")
    throw new QueryError("value_invalid", `${name} answered with bytes that are no UTF-8.`);
  // A retried page counts once.
  bytes.left -= read.sizeBytes;
  return read.text;
}
