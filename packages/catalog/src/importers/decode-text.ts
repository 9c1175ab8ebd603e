/** Decoded text and its original encoding. */
export interface DecodedText {
  text: string;
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1251" | "windows-1252";
}

/**
 * Decodes the first bytes of a file. UTF-16 is recognized by its byte order mark. Text that is not valid UTF-8 is
 * read as Windows-1251 if its non-ASCII letters are mainly Cyrillic in that encoding, otherwise as Windows-1252.
 * Returns undefined if the bytes are not text.
 */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe)
    return { text: decode(bytes, "utf-16le"), encoding: "utf-16le" };
  if (first === 0xfe && second === 0xff)
    return { text: decode(bytes, "utf-16be"), encoding: "utf-16be" };
  if (bytes.subarray(0, 65_536).includes(0)) return undefined;
  try {
    // The last character may be incomplete if only the first bytes of a file are read.
    const decoder = new TextDecoder("utf-8", { fatal: true });
    return { text: decoder.decode(bytes, { stream: true }), encoding: "utf-8" };
  } catch {
    const encoding = isCyrillic(bytes.subarray(0, 65_536)) ? "windows-1251" : "windows-1252";
    return { text: decode(bytes, encoding), encoding };
  }
}

function decode(bytes: Uint8Array, encoding: DecodedText["encoding"]): string {
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** Russian text in Windows-1251 has runs of bytes >= 0xC0. Western text has single ones between ASCII letters. */
function isCyrillic(bytes: Uint8Array): boolean {
  let inRuns = 0;
  let letters = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    if ((bytes[index] ?? 0) < 0xc0) continue;
    letters += 1;
    if ((bytes[index - 1] ?? 0) >= 0xc0 || (bytes[index + 1] ?? 0) >= 0xc0) inRuns += 1;
  }
  return letters > 0 && inRuns > letters / 2;
}
