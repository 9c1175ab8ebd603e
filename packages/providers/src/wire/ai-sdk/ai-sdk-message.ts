/** A JSON value, as the AI SDK types it. */
export type AiSdkJson =
  | null
  | string
  | number
  | boolean
  | { [key: string]: AiSdkJson | undefined }
  | AiSdkJson[];

/** Provider-specific fields, keyed by provider. */
export type AiSdkProviderOptions = Record<string, Record<string, AiSdkJson | undefined>>;

/** Provider options of messages and parts. */
export interface AiSdkOptioned {
  providerOptions?: AiSdkProviderOptions;
}

/** A text part. */
interface AiSdkTextPart extends AiSdkOptioned {
  type: "text";
  text: string;
}

/** An image or another file. */
interface AiSdkFilePart extends AiSdkOptioned {
  type: "file";
  data: Uint8Array | string | URL;
  mediaType: string;
  filename?: string;
}

/** Reasoning from the model. */
interface AiSdkReasoningPart extends AiSdkOptioned {
  type: "reasoning";
  text: string;
}

/** A tool call by the model. */
interface AiSdkToolCallPart extends AiSdkOptioned {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

/** The output of a tool. */
type AiSdkToolOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: AiSdkJson }
  | {
      type: "content";
      value: (
        | AiSdkTextPart
        | { type: "file-data"; data: string; mediaType: string; filename?: string }
        | { type: "image-data"; data: string; mediaType: string }
        | { type: "file-url" | "image-url"; url: string }
      )[];
    };

/** The result of a tool call. */
interface AiSdkToolResultPart extends AiSdkOptioned {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: AiSdkToolOutput;
}

/** A message of the AI SDK (`ModelMessage`). Assignable to its type in version 6. */
export type AiSdkMessage =
  | ({ role: "system"; content: string } & AiSdkOptioned)
  | ({ role: "user"; content: string | (AiSdkTextPart | AiSdkFilePart)[] } & AiSdkOptioned)
  | ({
      role: "assistant";
      content:
        | string
        | (
            | AiSdkTextPart
            | AiSdkFilePart
            | AiSdkReasoningPart
            | AiSdkToolCallPart
            | AiSdkToolResultPart
          )[];
    } & AiSdkOptioned)
  | ({ role: "tool"; content: AiSdkToolResultPart[] } & AiSdkOptioned);
