// Fitted to o200k_base over prose in 20 languages, code and data. See
// docs/decisions/0004-token-estimator.md.

// How many tokens a letter adds to its word, given the letter before it: 64 steps of 1/32 from
// -0.45, as base64 digits.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Columns: a-z, other Latin-1, Latin Extended, further letters and accents. Rows: the same, then
// after a space, at the start, after a symbol, capital after capital.
const latinPairs =
  "aONBkUHZacfCNLrPtHIBXZbKDlQemWomgOocdcSfJfnUuwNAcMlh1VjgskaterKtmPg0QOVkbp7GdFZnruXlnQ0nxvYT4WykrwaYpnx+cXnk" +
  "sX0dk4x7gmaQecdjprlXaVqkiRQXuliSYmqqobrsfVSNyXxuaXYYc1SWTbrroQofAVqhnpR+jQeuuddci29UbZkq1wffvt6kpsjXuswi0ibl" +
  "VgusSaKXuvzcnnnpWPIDGTFcoLUJOJHLiJFFhTrPiLIhXUknfLrgTbfHLlXTZmkErebgmUkdbckLsaLaKafsXgnYvuxsQSnvkulvijuft0XP" +
  "Yfahtualpgd2pYUck22K0umsbSqyIycse20OacgVxzRkk2hokoYmql3TRShKZloZYeakk5gPNigvzgplktTSQIOSKidcMJLEZNyBKJRUNTTD" +
  "laTYhgVL1fPj12LSjVd1HLQYKplQ4YgdZicfidNpjvtWkkdihYXaJikjbpdVViugXRgZnm4hmaYgrsbWajmhjQtsqyy+k3Yezdq+rotovg6n" +
  "SXo5k0aysn+l8ktUxudi+oghnmi+VXfe6RlUZlp4TKSSEXRxcplDMMpN0DGEqjkAbsgjfXiemGpHjZjdgpXXftZhlc+mnVWmhkZptaIvhXU3" +
  "qWxGYh3FNrzvbghpgmVfmchetqfmqyjasvYyqaUrv2hdn0Yn0uqya8w+w6ujmYuc+nRUx4u3mtuzVbrfgPueemwpbieqmuthdThbmPmkVVQY" +
  "VfZEPPtyhbaSJeRePYkilVXSRpnpfYTa+jXpbZQcSrjWLTep4XVLYfZQQVXemVVVVYVtVXWWVQGUMVVVbVkX3RUMCNUQOSUSVPRXTjNEIUXN" +
  "SGZkgycdUPVaZVZuiXWXjY0UJQemXmXm79cxoibfsmin6vkihwl8gUcxykv2++++XeXUSaZcXvjUXSSZsSVOaedeex+++";

// Columns: the Russian alphabet from а to я, other Cyrillic. Rows: the same, then after a space, at
// the start, after a symbol, capital after capital.
const cyrillicPairs =
  "+dZchSiclXfZdX+idfR+jcJacmkkg+fbcjsal+Wj0hecYyjRljdtchApgoQTTz1kUeS96j9c7kXqdQpcZ+hnAX+in7tcsYg+lUyd+6wWgsyU" +
  "mZWqgX+Y+sX+qutgkirerpi6equTMUj1cYhlAdWcWXYctNeJlilTTtqPa2nuXVhhl+WXdfX19bYa++cnpoincl+kwfgZrlWYw6Xoopmcnowr" +
  "yQzggUukcWnnlnmbVPiZYk8UkggMeI+GzlS8tmPovpJd2vfQkkqpsZzedZlrWeg+fdZ+jZhSh1bek+eQu++++528++kpd+u+++jl++4fgjnp" +
  "pc1n7WY476+kGxPZ+d+kS+imSc+mL01qgt1+tkOe8+l+ZX+Tdjn5Od+9x0e+op3spntLxXRlZ85++V1+Zh+kToVq+++Y8oq+2lhZj5zXyX37" +
  "TYb7iNbZg+RS+rXKcDphhlVxVZnias+SYVbiWamXhYZmjfcaQ+ohhhYkpeYSpElXurmqUkyafkjtOYAOubeVml+uWmZKfXdfU8ZfwSN+ajjz" +
  "SaZ+zfYVmA0wbiePQumRoa3lzje++TxVTjMVTlZQcpOeiWszXM1tIjb+P+3T++Xesqodb6WS+bu++b8qwgT9zialsihZNjW+Xgmdi+meSp+z" +
  "h5bsUYbd9StAdomyrYoiPeuxpcTlpZxcgfrlhozppiqgfz2+8+05+os+x+sY+r++0+y5+yrtbh9j7VphQyxVo2Lvst7vg1u1rZvn6h3frbYv" +
  "YOVYZjorRwoVYirfXrqn8oolsxpKumngaekqjnq03elpQnfrpmWuQrct+FqrstmbhOxjjggmokdylYrlmfhjgvgpqrujoinieRsQgQtzysge" +
  "kthtUmZjqdYpnjehqkfwlZnriKs+jpb1Y39+Yure++h73o++Siqntdnk6ieW+8+6+67P+fe84O+++mh++zk+drvjm+XywZsmlshl0rdUOq4s" +
  "wr7klCoXqmicdgbpeW6e+9g+15+i+9xy++s+V++qwRqOxtY4ZvW++u+8Vuk+u+1q6++h+m++cl7uqWee+elGf31rv+sn0Owlwj3581rjWtKy" +
  "7+WWWqSWhXFAXFiZBK+FZLCHAFAQAFNbHc+v++A+H+nihjdX0cklZmiVdhkgcfrn3Xo+w32Soa+nihjdX0cklZmiVdhkgcfrn3Xo+w32Soa+" +
  "jjqkhnwslnnvlciijfkuysx1wxm2l0016";

// Ideographs that usually share a token with a neighbour.
const cheapIdeographs =
  "一上下不个中串为么义之了事于些享人什他代以们件任会但何作你使例供保信修候允先免入全公共关其具内决况准出分列创" +
  "删利到制前功加务动包化升单参及发取变另可合同名后否含员味和哪問回因在址型報場备外多够大好如始字存安完定实容对" +
  "导将小就展属工己已布希帮常并序应建开式当录径很得必态性息您情意成我户所打执找护报择括持指换据接控描提搜操支数" +
  "整文新方日时是显更最有服期本机权来析果查标树核格检模正此步殊段比求没法注测消添点然状环现理生用由电的目知码础" +
  "确示社种称程立符简管类系素細细经结络统编网置考者而能自致获菜行表被装要解言設説计认议许设证该说读调資软载辑输" +
  "过运返这进追通速那邮部都配重量错間问间际限需面題页项须题高默";

// Tokens of a character outside the two tables: the first code unit of each range, then its tokens.
const ranges: readonly number[] = [
  0x0, 1, 0x370, 0.38, 0x400, 0.45, 0x530, 0.56, 0x600, 0.34, 0x700, 0.8, 0x900, 0.5, 0xa00, 0.65,
  0xe00, 0.55, 0xe80, 1.7, 0x10a0, 0.56, 0x1100, 1.5, 0x1f00, 0.9, 0x2000, 0.9, 0x2190, 1, 0x3000,
  0.55, 0x3040, 0.69, 0x30a0, 0.66, 0x3100, 1.5, 0x4e00, 1.39, 0xa000, 1.7, 0xac00, 0.68, 0xd800,
  0.95, 0xe000, 1.5, 0xff00, 0.6,
];

// Letters that form a token when eight, four or two of them repeat. Of other Latin letters two form
// a token, of other Cyrillic letters one.
const repeats: readonly [letters: string, tokens: number][] = [
  ["afloxAFX", 0.125],
  ["bcdehikmrsvyBCEIKLMOSY", 0.25],
  ["аеилмоуфэя", 0.5],
];

/**
 * The column of all characters other than the 29 Latin and 33 Cyrillic letters of the tables, and
 * the bit of a capital.
 */
export const noColumn = 63;
export const capitalBit = 64;

/**
 * Rows of the pair table after those of the letters: the context of a first letter, and a capital
 * after a capital.
 */
export const pairRow = { afterSpace: 64, atStart: 65, afterSymbol: 66, capital: 67 } as const;

/** The estimator's tables. */
export interface EstimatorWeights {
  /** The column of each code unit in the pair table or `noColumn`, plus `capitalBit` for capitals. */
  columns: Uint8Array;
  /** Tokens that a letter adds, at `row * 64 + column`. */
  pairs: Float64Array;
  /** Tokens of each code unit outside the pair tables, or of a repeated letter inside them. */
  flat: Float32Array;
}

let weights: EstimatorWeights | undefined;

/** Returns the decoded tables, about 400 kB, built on the first call. */
export function estimatorWeights(): EstimatorWeights {
  return (weights ??= { columns: buildColumns(), pairs: buildPairs(), flat: buildFlat() });
}

function buildColumns(): Uint8Array {
  const columns = new Uint8Array(0x10000).fill(noColumn);
  columns
    .fill(26, 0xaa, 0x100)
    .fill(27, 0x100, 0x250)
    .fill(28, 0x300, 0x370)
    .fill(28, 0x1e00, 0x1f00)
    .fill(61, 0x400, 0x500);
  for (let letter = 0; letter < 26; letter++)
    columns[0x41 + letter] = columns[0x61 + letter] = letter;
  for (let letter = 0; letter < 32; letter++)
    columns[0x410 + letter] = columns[0x430 + letter] = 29 + letter;
  for (let code = 0x41; code < 0x1f00; code = code === 0x4ff ? 0x1e00 : code + 1) {
    const isInTable = columns[code] !== noColumn;
    if (isInTable && isCapital(String.fromCharCode(code)))
      columns[code] = (columns[code] ?? 0) | capitalBit;
  }
  return columns;
}

function isCapital(character: string): boolean {
  return character !== character.toLowerCase();
}

function buildPairs(): Float64Array {
  const pairs = new Float64Array((pairRow.capital + 1) * 64).fill(0.6);
  for (const [block, first, size] of [
    [latinPairs, 0, 29],
    [cyrillicPairs, 29, 33],
  ] as const) {
    for (let line = 0; line * size < block.length; line++) {
      const row = line < size ? first + line : pairRow.afterSpace + line - size;
      for (let column = 0; column < size; column++)
        pairs[row * 64 + first + column] =
          digits.indexOf(block.charAt(line * size + column)) / 32 - 0.45;
    }
  }
  return pairs;
}

function buildFlat(): Float32Array {
  const flat = new Float32Array(0x10000);
  for (let index = 0; index < ranges.length; index += 2)
    flat.fill(ranges[index + 1] ?? 1, ranges[index], ranges[index + 2]);
  for (const ideograph of cheapIdeographs) flat[ideograph.charCodeAt(0)] = 0.57;
  flat.fill(0.5, 0x41, 0x5b).fill(0.5, 0x61, 0x7b).fill(1, 0x400, 0x500);
  for (const [letters, tokens] of repeats) {
    for (const letter of letters) flat[letter.charCodeAt(0)] = tokens;
  }
  return flat;
}
