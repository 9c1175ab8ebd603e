export { readBodyText } from "./read-body-text.ts";
export { streamChunks } from "./stream-chunks.ts";
export { streamLines, type StreamLine } from "./stream-lines.ts";
