/** A JSON value, as the AI SDK types it. */
export type AiSdkJson =
  | null
  | string
  | number
  | boolean
  | { [key: string]: AiSdkJson | undefined }
  | AiSdkJson[];

/** Fields for providers, keyed by provider. */
export type AiSdkProviderOptions = Record<string, Record<string, AiSdkJson | undefined>>;

/** What messages and parts may carry for providers. */
export interface AiSdkOptioned {
  providerOptions?: AiSdkProviderOptions;
}

/** A text part. */
export interface AiSdkTextPart extends AiSdkOptioned {
  type: "text";
  text: string;
}

/** An image or another file. */
export interface AiSdkFilePart extends AiSdkOptioned {
  type: "file";
  data: Uint8Array | string | URL;
  mediaType: string;
  filename?: string;
}

/** What the model thought. */
export interface AiSdkReasoningPart extends AiSdkOptioned {
  type: "reasoning";
  text: string;
}

/** A call that the model asks for. */
export interface AiSdkToolCallPart extends AiSdkOptioned {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

/** What a tool gave. */
export type AiSdkToolOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: AiSdkJson }
  | {
      type: "content";
      value: (AiSdkTextPart | { type: "media"; data: string; mediaType: string })[];
    };

/** The answer to a call. */
export interface AiSdkToolResultPart extends AiSdkOptioned {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: AiSdkToolOutput;
}

/** A message of the AI SDK (`ModelMessage` of version 5 and 6); assignable to its type. */
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
