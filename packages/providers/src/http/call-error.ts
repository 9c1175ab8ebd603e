import { LanguageModelError } from "@ccl/core";
import { isRecord, type JsonRecord, parseJson, stringAt, withoutUndefined } from "@ccl/core/json";

import { callUrl, shownUrl } from "./endpoint.ts";
import { codeOfError, type ReportedError, quoteOf } from "./reported-error.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { ErrorOf, Service, ServiceCall } from "./service.ts";

/** Returns the provider and the URL of its calls, without secrets. */
export function nameOf({ provider, baseUrl }: Service, path: string): string {
  return `${provider} at ${shownUrl(callUrl(baseUrl, path))}`;
}

/** Creates a function that converts a reported error, adding the answer's status, ids and requested delay. */
export function errorReader(
  service: Service,
  call: ServiceCall,
  { response, key }: { response: Response; key: string | undefined },
): ErrorOf {
  const headerValues = Object.values(service.endpoint.headers ?? {});
  const secrets = [key ?? "", ...headerValues.flatMap((value) => value.split(" "))];
  const { headers } = response;
  const wait = retryAfterMs(headers, (service.endpoint.clock ?? { now: Date.now }).now());
  return (reported) => {
    const status = reported.status ?? (response.ok ? undefined : response.status);
    const { type, code: ownCode, parameter, message } = reported;
    const code = codeOfError({ ...reported, status }, service.codeOf, call.asksForFormat);
    const did = status === undefined ? "cut the answer off" : `answered ${status}`;
    const words = `${nameOf(service, call.path)} ${did}${quoteOf(message, secrets)}${hintFor(status, service)}`;
    const requestId = requestIdOf(service, headers);
    const mayRetry = headers.get("x-should-retry") ?? undefined;
    return new LanguageModelError(code, words, {
      ...withoutUndefined({ status, retryAfterMs: wait ?? reported.retryAfterMs }),
      details: withoutUndefined({ type, code: ownCode, parameter, requestId, mayRetry }),
    });
  };
}

/** Returns the provider's id for a call. */
export function requestIdOf(service: Service, headers: Headers): string | undefined {
  return (
    service.requestIdHeaders.map((name) => headers.get(name)).find((id) => id !== null) ?? undefined
  );
}

/** Creates the error for a redirect. Redirects are not followed. */
export function redirectError(
  service: Service,
  path: string,
  response: Response,
): LanguageModelError {
  const location = response.headers.get("location") ?? "";
  const url = callUrl(service.baseUrl, path);
  const target = URL.canParse(location, url.href)
    ? ` to ${shownUrl(new URL(location, url.href))}`
    : "";
  const message = `${nameOf(service, path)} redirects${target}, which would receive the key; set \`baseUrl\` to the final address.`;
  return new LanguageModelError("invalid_request", message, { status: response.status });
}

/** Creates the error for a call that got no answer. Names the likely cause. */
export function connectionError(
  service: Service,
  path: string,
  cause: unknown,
): LanguageModelError {
  const { origin } = callUrl(service.baseUrl, path);
  const code = codeOf(cause);
  const causes: Record<string, string> = {
    ECONNREFUSED: `; is ${service.title ?? "the server"} running at ${origin}?`,
    ENOTFOUND: "; the host is unknown: check `baseUrl` and the network.",
    EAI_AGAIN: "; the host could not be looked up: check the network.",
    ECONNRESET: "; the server closed it.",
    UND_ERR_SOCKET: "; the server closed it.",
  };
  const words = code === undefined ? "." : (causes[code] ?? ` (${code}).`);
  const message = `The connection to ${nameOf(service, path)} failed${words}`;
  return new LanguageModelError("network_error", message, { cause });
}

// fetch throws a TypeError. Its cause is the system error, or a list with one error per address.
function codeOf(caught: unknown): string | undefined {
  if (!isRecord(caught)) return undefined;
  const [first] = Array.isArray(caught["errors"]) ? caught["errors"] : [];
  return stringAt(caught, "code") ?? codeOf(caught["cause"]) ?? codeOf(first);
}

function hintFor(status: number | undefined, { keyVariable }: Service): string {
  if (status === 404 || status === 405) return "; check `baseUrl` and `model`";
  if (status !== 401) return "";
  return `; check \`apiKey\`${keyVariable === undefined ? "" : ` or ${keyVariable}`}`;
}

/**
 * Creates the error for an answer that broke off after a success status. Such calls are not retried, since they may
 * have been billed.
 */
export function cutError(name: string, cause?: unknown): LanguageModelError {
  const message = `${name} cut the answer off. You may have been charged for it, so the call was not retried.`;
  return new LanguageModelError("network_error", message, {
    cause,
    details: { mayRetry: "false" },
  });
}

/** Reads the error in a response body. */
export function reportedIn(text: string, service: Service): ReportedError {
  const parsed = parseJson(text);
  // Gemini sends a stream as a JSON list unless asked for events.
  const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const reported = isRecord(body) ? service.readError(body) : undefined;
  return reported ?? { message: describeBody(text) };
}

/** Parses a body as a JSON object. Throws if it reports an error. */
export function checkedAnswer(text: string, service: Service, errorOf: ErrorOf): JsonRecord {
  const value = parseJson(text);
  if (!isRecord(value))
    throw errorOf({ message: `an answer that is not a JSON object: ${describeBody(text)}` });
  const reported = service.readError(value);
  if (reported !== undefined) throw errorOf(reported);
  return value;
}

/** Describes a body of unknown format: returns the page title, or the text itself. */
function describeBody(text: string): string {
  const words = text.trim();
  if (words === "") return "an empty body";
  if (!/^<(?:!doctype|html|head|body|\?xml)/i.test(words)) return words;
  const title = /<title>([^<]{1,200})<\/title>/i.exec(words)?.[1]?.trim();
  return title === undefined ? "an HTML page" : `an HTML page, "${title}"`;
}
