import { LanguageModelError, type LanguageModelErrorCode, systemClock } from "@ccl/core";
import { isRecord, type JsonRecord, parseJson, withoutUndefined } from "@ccl/core/json";

import { readApiKey } from "./api-key.ts";
import type { CallScope } from "./call-scope.ts";
import { callUrl, type EndpointOptions } from "./endpoint.ts";
import { codeOfError, type ReportedError, quoteOf } from "./reported-error.ts";
import { retryAfterMs } from "./retry-after.ts";

/** What all calls to one provider have in common. */
export interface Service {
  provider: string;
  baseUrl: string;
  endpoint: EndpointOptions;
  keyVariable: string | undefined;
  /** The headers that carry the key and the version. */
  headers(key: string | undefined): Record<string, string>;
  /** The fields of an error body; undefined for a body that is no error. */
  readError(body: JsonRecord): ReportedError | undefined;
  /** A code that is known from more than the status. */
  codeOf(reported: ReportedError): LanguageModelErrorCode | undefined;
  requestIdHeaders: readonly string[];
}

/** One request to a service. */
export interface ServiceCall {
  path: string;
  body: JsonRecord;
  /** Without it no error is read as the refusal of a format. */
  asksForFormat: boolean;
}

/** An answer with a good status, whose body has not been read. */
export interface OpenedCall {
  body: ReadableStream<Uint8Array>;
  requestId: string | undefined;
  /** The error that a body with a good status turned out to be. */
  errorOf(reported: ReportedError): LanguageModelError;
}

/** Posts one JSON body. @throws LanguageModelError for a bad status; what fetch throws is left to the scope. */
export async function openCall(
  service: Service,
  call: ServiceCall,
  scope: CallScope,
): Promise<OpenedCall> {
  const { endpoint } = service;
  const key = await readApiKey(endpoint.apiKey, service.keyVariable);
  const secrets = [
    key ?? "",
    ...Object.values(endpoint.headers ?? {}).flatMap((value) => value.split(" ")),
  ];
  const response = await (endpoint.fetch ?? globalThis.fetch)(callUrl(service.baseUrl, call.path), {
    method: "POST",
    headers: readHeaders(service, key),
    body: toJson(call.body),
    signal: scope.signal,
    // A redirect would carry the key to another address.
    redirect: "error",
  });
  const found = service.requestIdHeaders
    .map((name) => response.headers.get(name))
    .find((id) => id !== null);
  const requestId = found ?? undefined;
  const retryAfter = retryAfterMs(response.headers, (endpoint.clock ?? systemClock).now());
  const errorOf = (reported: ReportedError): LanguageModelError => {
    const status = reported.status ?? (response.ok ? undefined : response.status);
    const code = codeOfError(
      { ...reported, ...withoutUndefined({ status }) },
      service.codeOf,
      call.asksForFormat,
    );
    const known = withoutUndefined({
      type: reported.type,
      code: reported.code,
      parameter: reported.parameter,
      requestId,
    });
    const where = `${service.provider} ${status === undefined ? "broke the answer off" : `answered ${status}`}`;
    return new LanguageModelError(code, `${where}${quoteOf(reported.message, secrets)}`, {
      ...withoutUndefined({ status, retryAfterMs: retryAfter }),
      details: known,
    });
  };
  if (!response.ok) throw errorOf(reportedIn(await response.text(), service));
  if (response.body === null) throw errorOf({ message: "an answer without a body" });
  return { body: response.body, requestId, errorOf };
}

function reportedIn(text: string, service: Service): ReportedError {
  const body = parseJson(text);
  const reported = isRecord(body) ? service.readError(body) : undefined;
  return (
    reported ?? { message: text === "" ? "an empty body" : "a body that is not one of its errors" }
  );
}

function readHeaders(service: Service, key: string | undefined): Headers {
  try {
    const headers = new Headers({ "content-type": "application/json", ...service.headers(key) });
    for (const [name, value] of Object.entries(service.endpoint.headers ?? {}))
      headers.set(name, value);
    return headers;
  } catch {
    // The platform's error quotes the value, which may be the key.
    const message =
      "The key or a header has a character that no HTTP header can carry, such as a line break.";
    throw new LanguageModelError("invalid_request", message);
  }
}

function toJson(body: JsonRecord): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    const message =
      "The request can't be written as JSON: it has a cycle or a value such as a BigInt.";
    throw new LanguageModelError("invalid_request", message, { cause: error });
  }
}
