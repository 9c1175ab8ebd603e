/**
 * A name as the most forgiving file system compares it: compatibility forms, case (full folding, so that `ß` is `ss`) and
 * ignorable characters do not count. Two names with one folded form may be one file.
 */
export function foldName(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  const visible = name.normalize("NFKD").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // Upper case first: it opens ligatures, and takes the long s and the dotless i to plain letters.
  const folded = visible.toUpperCase().toLowerCase().normalize("NFKD");
  return folded.replaceAll("i\u0307", "i").replaceAll("\u03c2", "\u03c3").normalize("NFC");
}
