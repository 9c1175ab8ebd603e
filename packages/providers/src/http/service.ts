import type { LanguageModelError, LanguageModelErrorCode } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

import type { EndpointOptions } from "./endpoint.ts";
import type { ReportedError } from "./reported-error.ts";

/** The settings that all calls to one provider share. */
export interface Service {
  provider: string;
  /** The product's name, to show in errors. */
  title?: string | undefined;
  baseUrl: string;
  endpoint: EndpointOptions;
  keyVariable: string | undefined;
  /** Returns the headers for the key and the API version. */
  headers(key: string | undefined): Record<string, string>;
  /** Reads the fields of an error body. Returns undefined if the body is not an error. */
  readError(body: JsonRecord): ReportedError | undefined;
  /** Returns the code if the body implies more than the status does. */
  codeOf(reported: ReportedError): LanguageModelErrorCode | undefined;
  requestIdHeaders: readonly string[];
}

/** One request to a service. */
export interface ServiceCall {
  path: string;
  body: JsonRecord;
  /** If false, no error counts as a rejected format. */
  asksForFormat: boolean;
  signal: AbortSignal;
}

/** Creates the error for a failure that an answer reports. */
export type ErrorOf = (reported: ReportedError) => LanguageModelError;
