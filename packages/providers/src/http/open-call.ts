import { LanguageModelError } from "@ccl/core";
import { readBodyText, streamChunks } from "@ccl/core/http";
import type { JsonRecord } from "@ccl/core/json";

import { readApiKey } from "./api-key.ts";
import {
  checkedAnswer,
  cutError,
  errorReader,
  nameOf,
  redirectError,
  reportedIn,
  requestIdOf,
} from "./call-error.ts";
import { callUrl } from "./endpoint.ts";
import type { ErrorOf, Service, ServiceCall } from "./service.ts";

/** An answer with a success status. Its body has not been read yet. */
export interface OpenedCall {
  requestId: string | undefined;
  /**
   * Yields the bytes of the body.
   * @throws LanguageModelError if they exceed the size limit for answers
   */
  chunks(): AsyncGenerator<Uint8Array>;
  /**
   * Returns the body as a JSON object.
   * @throws LanguageModelError if it is not one or reports an error
   */
  json(): Promise<JsonRecord>;
  errorOf: ErrorOf;
}

const mebibyte = 1024 * 1024;
const maxAnswerBytes = 64 * mebibyte;
const maxErrorBytes = mebibyte;
const tooLarge = `more than ${maxAnswerBytes / mebibyte} MiB, which is over the limit`;

/**
 * Posts a JSON body. Does not convert errors of fetch.
 * @throws LanguageModelError for an error status
 */
export async function openCall(service: Service, call: ServiceCall): Promise<OpenedCall> {
  const { endpoint } = service;
  const { signal } = call;
  const key = await readApiKey(endpoint.apiKey, service.keyVariable);
  const response = await (endpoint.fetch ?? globalThis.fetch)(callUrl(service.baseUrl, call.path), {
    method: "POST",
    headers: readHeaders(service, key),
    body: toJson(call.body),
    signal,
    // A redirect would send the key to another address. "error" is not an option: with it, fetch in Node 20 and 22
    // loses the signal.
    redirect: "manual",
  });
  const errorOf = errorReader(service, call, { response, key });
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    void response.body?.cancel().catch(() => undefined);
    throw redirectError(service, call.path, response);
  }
  const { body } = response;
  if (!response.ok) {
    // The status counts even if the connection closes before the end of the body.
    const text = await readBodyText(body, { maxBytes: maxErrorBytes, signal })
      .then((read) => (read.status === "invalid_utf8" ? "" : read.text))
      .catch(() => "");
    throw errorOf(reportedIn(text, service));
  }
  if (body === null) throw errorOf({ message: "an answer without a body" });
  const cut = (error?: unknown): LanguageModelError =>
    LanguageModelError.isInstance(error) ? error : cutError(nameOf(service, call.path), error);
  return {
    requestId: requestIdOf(service, response.headers),
    async *chunks() {
      let sizeBytes = 0;
      try {
        for await (const chunk of streamChunks(body, signal)) {
          sizeBytes += chunk.byteLength;
          if (sizeBytes > maxAnswerBytes) throw errorOf({ message: tooLarge });
          yield chunk;
        }
      } catch (error) {
        throw cut(error);
      }
    },
    async json() {
      const read = await readBodyText(body, { maxBytes: maxAnswerBytes, signal }).catch((error) => {
        throw cut(error);
      });
      if (read.status === "too_large") throw errorOf({ message: tooLarge });
      if (read.status === "invalid_utf8")
        throw errorOf({ message: "an answer that is not valid UTF-8" });
      if (read.text === "") throw cut();
      return checkedAnswer(read.text, service, errorOf);
    },
    errorOf,
  };
}

function readHeaders(service: Service, key: string | undefined): Headers {
  try {
    const headers = new Headers({ "content-type": "application/json", ...service.headers(key) });
    for (const [name, value] of Object.entries(service.endpoint.headers ?? {}))
      headers.set(name, value);
    return headers;
  } catch {
    // The platform's own error quotes the value, which may be the key.
    const message =
      "The key or a header contains a character that HTTP headers do not allow, such as a line break.";
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
