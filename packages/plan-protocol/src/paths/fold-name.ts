/**
 * Folds a name as the loosest file system does. Ignores compatibility forms, case (full folding, so `ß` is `ss`) and
 * ignorable characters. Two names with the same fold may refer to one file.
 */
export function foldName(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  const visible = name.normalize("NFKD").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // Upper-casing first splits ligatures and maps the long s and the dotless i to plain letters.
  const folded = visible.toUpperCase().toLowerCase().normalize("NFKD");
  return folded.replaceAll("i\u0307", "i").replaceAll("\u03c2", "\u03c3").normalize("NFC");
}
