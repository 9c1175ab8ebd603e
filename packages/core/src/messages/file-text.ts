import type { MediaPart } from "./chat-message.ts";

const textTypes =
  /^(text\/|application\/([\w.-]+\+)?(json|xml|yaml|javascript|toml|sql|graphql|x-[\w-]*(sh|yaml|ndjson|javascript|python))\b|image\/svg)/i;

/** Decodes a file that consists of bytes with a text media type. Undefined for any other file. */
export function fileText({ mimeType, data }: MediaPart): string | undefined {
  return data !== undefined && textTypes.test(mimeType)
    ? new TextDecoder().decode(data)
    : undefined;
}
