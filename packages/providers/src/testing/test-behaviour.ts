/** The APIs that the server simulates, each under its own path. */
export type TestDialect =
  | "openai"
  | "openai-responses"
  | "lm-studio"
  | "ignores-format"
  | "ollama"
  | "anthropic"
  | "gemini";

/** What the server does with one call. Calls use the script in order. */
export type TestBehaviour = (TestAnswer | TestRefusal | TestError | TestCut | TestHang) & {
  /** Sends the body in pieces of this many bytes, even within a character. Default: in one piece. */
  chunkBytes?: number | undefined;
};

/** An answer. */
export interface TestAnswer {
  type: "answer";
  /** Sent unless the call asks for JSON, `json` is set and the API supports JSON answers. */
  text?: string | undefined;
  json?: unknown;
  reasoning?: string | undefined;
  /** `arguments` is JSON text. `namespace` is for the Responses API, which groups tools. */
  toolCalls?:
    | { id: string; name: string; arguments: string; namespace?: string | undefined }[]
    | undefined;
  /** `length` simulates an answer cut by its token limit. Default: `stop`, or `tool_calls` with tool calls. */
  finishReason?: "stop" | "length" | "content_filter" | undefined;
  /** `inputTokens` is all input. Default: 10, 5 and nothing cached. */
  usage?:
    | { inputTokens: number; outputTokens: number; cachedInputTokens?: number | undefined }
    | undefined;
  /** More fields for the root of the body, for example those of a newer API. */
  extra?: Record<string, unknown> | undefined;
}

/** A refusal in the API's own format. */
interface TestRefusal {
  type: "refusal";
  text: string;
}

/** An error body with a bad status. */
export interface TestError {
  type: "error";
  /** For example 400, 401, 403, 404, 429, 500 or 529. */
  status: number;
  /** The cause of a 400. Default: a parameter unrelated to formats. */
  about?: "context_length" | "response_format" | "schema" | "content_filter" | undefined;
  /** The API's message, in place of its usual one. */
  message?: string | undefined;
  /** The header `Retry-After`, in seconds or as a date. */
  retryAfter?: string | undefined;
}

/** The connection breaks after half of the answer's body. */
interface TestCut {
  type: "cut";
  text: string;
}

/** The server sends nothing or, in a stream, nothing after the first piece. */
interface TestHang {
  type: "hang";
}
