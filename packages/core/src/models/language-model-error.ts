import { CclError, type CclErrorOptions } from "../ccl-error.ts";

/** Why a model call failed. `rate_limited`, `timeout`, `network_error` and `provider_error` may succeed on a retry. */
export type LanguageModelErrorCode =
  | "timeout"
  | "rate_limited"
  | "aborted"
  | "authentication"
  | "invalid_request"
  | "unsupported_response_format"
  | "context_length_exceeded"
  | "content_filtered"
  | "provider_error"
  | "network_error";

/** The error that model adapters throw. */
export class LanguageModelError extends CclError<LanguageModelErrorCode> {
  static override readonly brand: string = "LanguageModelError";
  /** How long the provider asked the caller to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The HTTP status, if the provider answered. */
  readonly status?: number | undefined;

  constructor(
    code: LanguageModelErrorCode,
    message: string,
    options: CclErrorOptions & {
      retryAfterMs?: number | undefined;
      status?: number | undefined;
    } = {},
  ) {
    super(code, message, options);
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.status !== undefined) this.status = options.status;
  }
}
