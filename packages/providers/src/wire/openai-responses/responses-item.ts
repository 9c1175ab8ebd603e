/** A part of an input message. */
type ResponsesInputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" | "low" | "high" }
  | { type: "input_file"; filename?: string; file_data?: string; file_url?: string };

/** An item of the API's `input` that this package writes. Items that came from the API are sent back unchanged. */
export type ResponsesItem =
  | { role: "user" | "system" | "developer"; content: string | ResponsesInputPart[] }
  | { role: "assistant"; content: string }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | ResponsesInputPart[] }
  | { type: "custom_tool_call"; call_id: string; name: string; input: string }
  | { type: "custom_tool_call_output"; call_id: string; output: string | ResponsesInputPart[] }
  | { type: "reasoning"; id: string; summary: { type: "summary_text"; text: string }[] };

/** The two fields of a `/v1/responses` call that hold the conversation. */
export interface ResponsesConversation {
  instructions?: string;
  input: string | ResponsesItem[];
}
