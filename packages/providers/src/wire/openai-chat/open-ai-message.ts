/** A text part. `prompt_cache_breakpoint` marks where a reusable prompt prefix ends. */
interface OpenAiTextPart {
  type: "text";
  text: string;
  prompt_cache_breakpoint?: { mode: "explicit" };
}

/** A part of a user message. */
type OpenAiPart =
  | OpenAiTextPart
  | { type: "image_url"; image_url: { url: string; detail?: "auto" | "low" | "high" } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { filename?: string; file_data?: string; file_id?: string } };

/** A function tool call. `arguments` is JSON text. */
interface OpenAiToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A `/chat/completions` message, as in the API reference. Assignable to the official client's type. */
export type OpenAiMessage =
  | { role: "system"; content: string | OpenAiTextPart[]; name?: string }
  | { role: "developer"; content: string | OpenAiTextPart[]; name?: string }
  | { role: "user"; content: string | OpenAiPart[]; name?: string }
  | { role: "assistant"; content?: string | OpenAiTextPart[] | null; tool_calls?: OpenAiToolCall[] }
  | { role: "tool"; content: string | OpenAiTextPart[]; tool_call_id: string };
