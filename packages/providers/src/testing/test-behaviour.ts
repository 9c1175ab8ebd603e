/** The APIs that the server plays, each under a path of its own. */
export type TestDialect =
  | "openai"
  | "openai-responses"
  | "lm-studio"
  | "ignores-format"
  | "ollama"
  | "anthropic"
  | "gemini";

/** What the server does with one call; calls take them in the order of the script. */
export type TestBehaviour = (TestAnswer | TestRefusal | TestError | TestCut | TestHang) & {
  /** Sends the body in pieces of this many bytes, whatever that cuts through. Default: in one piece. */
  chunkBytes?: number | undefined;
};

/** An answer. */
export interface TestAnswer {
  type: "answer";
  /** Sent unless the call asks for JSON, `json` is set, and the API played heeds such a demand. */
  text?: string | undefined;
  json?: unknown;
  reasoning?: string | undefined;
  /** `arguments` is JSON text; `namespace` is for the Responses API, where tools are grouped. */
  toolCalls?:
    | { id: string; name: string; arguments: string; namespace?: string | undefined }[]
    | undefined;
  /** `length` plays an answer cut off by its token limit. Default: `stop`, or `tool_calls` with tool calls. */
  finishReason?: "stop" | "length" | "content_filter" | undefined;
  /** `inputTokens` is all input. Default: 10, 5 and nothing cached. */
  usage?:
    | { inputTokens: number; outputTokens: number; cachedInputTokens?: number | undefined }
    | undefined;
  /** More fields for the root of the body, such as those of a newer API. */
  extra?: Record<string, unknown> | undefined;
}

/** An answer that declines, in the form that the API has for it. */
interface TestRefusal {
  type: "refusal";
  text: string;
}

/** An error body with a bad status. */
export interface TestError {
  type: "error";
  /** 400, 401, 403, 404, 429, 500, 529 and the like. */
  status: number;
  /** What a 400 is about. Default: a parameter that has nothing to do with formats. */
  about?: "context_length" | "response_format" | "schema" | "content_filter" | undefined;
  /** The API's words, in place of the usual ones. */
  message?: string | undefined;
  /** The header `Retry-After`, in seconds or as a date. */
  retryAfter?: string | undefined;
}

/** The connection breaks after half of the answer's body. */
interface TestCut {
  type: "cut";
  text: string;
}

/** Nothing is answered, or in a stream nothing after the first piece. */
interface TestHang {
  type: "hang";
}
