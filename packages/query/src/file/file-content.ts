/** A file's bytes, or its text, as a whole or in pieces. */
export type FileContent = Uint8Array | string | AsyncIterable<Uint8Array | string>;
