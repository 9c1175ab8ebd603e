import { classAt, LETTER, UPPER } from "./character-classes.ts";

// Fitted to o200k_base over prose in 20 languages, code and data; see docs/decisions/0004-token-estimator.md.

// What a letter adds to its word's tokens, by the letter before it: 64 steps of 1/32 from -0.45, as base64 digits.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Columns: a-z, other Latin-1, Latin Extended, further letters and accents. Rows: those, after a space, at the start, after a symbol, capital on capital.
const latinPairs =
  "ZPPAlXJbgefCMLqQwGGAWbdODkKeoXonfNqddfReIflUrwJAZNmiyViaupbwfpHvjOgyPOVgap8EfDantuYjnP5r41cV+Z3ptyaerq5+eYrr" +
  "ye3gn7z+nrfRgggkutnZdVvpoSPa0qoTaprrvdtweUQOyawvaXabd3TPTerunRokAVrkopO+lThuxdech5+Taant3wlmtu+opxhYxwyn0ndn" +
  "VgwjQZGUvwzeqpqrVPIAEUDgrGRHNGFMkGADeRrOcJCeWVlnfJtgRceGKlZRcmiBqhchkSlaafmMsbLdJcisVfmXuwypOSovnumzllzhr2XP" +
  "ahZkuxbkpgf4rXUen64KzwoubUr0H0bsh31PcegWyzSnm0ookoZovo+YRTlKaqqbbjbou9iOOmk31jtmmxYWTHNZNmkgQKOEYR0BHHWVPVXD" +
  "ocWZeeSI1gOl03KNkVe2GIPYKopQ3WffaicdibMokusVkjcihXVZJijjZoeVVlxjYRjcpr5jqbXixvcXcornnSxus45+o+bo7hx+wu0z0l+t" +
  "Uax+t7d0wq+n+o2T2zjm+mjnrpp+UYih8WqVbnr9TLRQDZRwcpiCJIpM0BEBsjiAZrYhhahdlEoMjajdfqVVitXcid8mmUWkhoYpuYHweaV3" +
  "qXxEXe3EMuyudffphlYkofhduqeptyjZruZynYVsu2iio2Zo32szX+z+26vlpY1f+pRYy423qtt1bcsfgMvgdmxodidrnutfdXielNnmWVRe" +
  "XfbHROzzhcbSLhWbNZrjjXcVTsrrfaRZ+lXsaaPcQrgWKQds6WVJYhaSQVYbkVVVWYVwVXWXVPGTMVVVeVmY1OPHAKPMKRQNRLNUNfIACRSH" +
  "QAUZcyYaRHQWWRVsgUSSeUyPBJbkUkUj16dvleVaokdk9vhgdrh8cMVwyfu4++++YeXVTaYdYukVXSTbtSVObgdefx+++";

// Columns: the Russian alphabet from a to ya, other Cyrillic. Rows: those, after a space, at the start, after a symbol, capital on capital.
const cyrillicPairs =
  "+dZdhTicpYgYeX+kdgR+mcJbelmmk9eacjrcl+XkzgicYvhSkhdqcmAsjnQUVv0jUZS46l7a2nXueQqdZ+gpEY+mq6qgsZi+iVwe+10ahtuV" +
  "pcYqjX7X+rY+svuhlltirpj5esuVPUkvcdjpAdXeYYcdwXlPlklUVtoSc3quXXhgm+WZdgX1+bYa++doqpiqbo+kuegZrkXYr7Xqonldopsv" +
  "zQ2ijXyoeamonqobYRhaYl4VnhhMeJ+H2kT2upVp0pKgvvgSkjrptayfeZkrWfj+feZ+jagTh1gip+dQu9++9504++qrf+v+++mm++1inlor" +
  "rfxp4WZ073+kHyPe9c+nT+imSc3kJv2rjtz8skQe4+l6ZZ+Tijo3Pd+2yye5or3uqqsLsXSjZ736+W0+Zl9lXqXt++7a5nu+1njZmzyZxX14" +
  "UZc8lOgcl8SS+sZMbFnifkazUamkbt+TYVbiWboWjYZmmgcbR+rjiiYkricZoHlXssooVo0ZjnisPZAPuddapj7pZpbPhcedU4cfvSP+bolx" +
  "TbY+xeaUmAxtdliQUsmToZ2m1nf9+UzVTjMVTmbQcqPdkXuwXNypHib+Q53T8+Whsqpeb6WS+cz+6d5qxfT4vjdnrlhaNjY9Xhkch+meTq61" +
  "hucsWbfh7SqCeosxsVslQjxypgUopgrgdjwoks0rskpjfxz+7+z2+nx+x+vX+r++z+w36xtveh5n4ZolSyxWpzK0qu5ufxuxsbvqxjxiscYx" +
  "cQXZcgprSvtWciqhXkpp5onnvxrLworhdgopjqw00eprQrhqmnZtXqfs+KruvuoehSwokgjnqmc1oWunojinktjrotwnqlpliWvVjQw11tie" +
  "mukwXpcltgaspmhisljyncqumLr6lpe2Y07+Ytqd++i83p++Riontfon2mjW96+8+34Q+ji44Q+++oi7+wp+erwlo6VvtdtihpjosrdTPpwu" +
  "przlqJpbsrkffkgshW1g+7i806+m+6wy++u+V+9ntTqOywd2ZqW++w66Utk+s+0r4++n+l++bm6rnZhi+dmCevzsm3mmxJnlwjz06zrjWrMv" +
  "3+WWWmSXfZEAWDjZAK+EaJBHAEAQABOaGb+u++A+J+jfeibZxahcWjeRcehdacol3Xl5k0uSgW+jfeibZxahcWjeRcehdacol3Xl5k0uSgW+" +
  "kjoiknvplpltmciiigluxrxzxyj3mw005";

// Ideographs that mostly share a token with a neighbour.
const cheapIdeographs =
  "一上下不个中串为么义之了事于些享人什他代以们件任会但何作你使例供保信修候允先免入全公共关其具内决况准出分列创" +
  "删利到制前功加务动包化升单参及发取变另可合同名后否含员味和哪問回因在址型報場备外多够大好如始字存安完定实容对" +
  "导将小就展属工己已布希帮常并序应建开式当录径很得必态性息您情意成我户所打执找护报择括持指换据接控描提搜操支数" +
  "整文新方日时是显更最有服期本机权来析果查标树核格检模正此步殊段比求没法注测消添点然状环现理生用由电的目知码础" +
  "确示社种称程立符简管类系素細细经结络统编网置考者而能自致获菜行表被装要解言設説计认议许设证该说读调資软载辑输" +
  "过运返这进追通速那邮部都配重量错間问间际限需面題页项须题高默";

// Tokens a character outside the two tables, by the first code unit of each range.
const ranges: readonly [from: number, tokens: number][] = [
  [0x00, 1],
  [0x370, 0.37],
  [0x400, 0.45],
  [0x530, 0.56],
  [0x600, 0.34],
  [0x700, 0.8],
  [0x900, 0.5],
  [0xa00, 0.65],
  [0xe00, 0.55],
  [0xe80, 1.7],
  [0x10a0, 0.56],
  [0x1100, 1.5],
  [0x1f00, 0.9],
  [0x2000, 0.9],
  [0x2190, 1],
  [0x3000, 0.55],
  [0x3040, 0.69],
  [0x30a0, 0.66],
  [0x3100, 1.5],
  [0x4e00, 1.39],
  [0xa000, 1.7],
  [0xac00, 0.68],
  [0xd800, 0.95],
  [0xe000, 1.5],
  [0xff00, 0.6],
];

// Letters of which eight, four or two equal ones make a token; of other Latin letters two, of other Cyrillic one.
const repeats: readonly [letters: string, tokens: number][] = [
  ["afloxAFX", 0.125],
  ["bcdehikmrsvyBCEIKLMOSY", 0.25],
  ["аеилмоуфэя", 0.5],
];

/** A column that is none of the 29 Latin and 33 Cyrillic letters of the pair tables, and the bit that marks a capital. */
export const noColumn = 63;
export const capitalBit = 64;

/** Rows of the pair table below those of the letters: what stands before the first letter, and capital on capital. */
export const pairRow = { afterSpace: 64, atStart: 65, afterSymbol: 66, capital: 67 } as const;

/** What the estimator looks up. */
export interface EstimatorWeights {
  /** The column of each code unit in the pair table or `noColumn`, and `capitalBit` on capitals. */
  columns: Uint8Array;
  /** Tokens that a letter adds, at `row * 64 + column`. */
  pairs: Float64Array;
  /** Tokens of each code unit outside the pair tables; of a letter inside, when repeated. */
  flat: Float64Array;
}

let weights: EstimatorWeights | undefined;

/** The decoded tables, about 600 kB; built at the first call. */
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
  for (let letter = 0; letter < 26; letter++) columns[0x41 + letter] = columns[0x61 + letter] = letter;
  for (let letter = 0; letter < 32; letter++) columns[0x410 + letter] = columns[0x430 + letter] = 29 + letter;
  return columns.map((column, code) =>
    (classAt(String.fromCharCode(code), 0) & LETTER) === UPPER ? column | capitalBit : column,
  );
}

function buildPairs(): Float64Array {
  const pairs = new Float64Array((pairRow.capital + 1) * 64).fill(0.6);
  for (const [block, first, size] of [
    [latinPairs, 0, 29],
    [cyrillicPairs, 29, 33],
  ] as const) {
    for (let index = 0; index < block.length; index++) {
      const line = Math.floor(index / size);
      const row = line < size ? first + line : pairRow.afterSpace + line - size;
      pairs[row * 64 + first + (index % size)] = digits.indexOf(block.charAt(index)) / 32 - 0.45;
    }
  }
  return pairs;
}

function buildFlat(): Float64Array {
  const flat = new Float64Array(0x10000);
  for (const [from, tokens] of ranges) flat.fill(tokens, from);
  for (const ideograph of cheapIdeographs) flat[ideograph.charCodeAt(0)] = 0.57;
  flat.fill(0.5, 0x41, 0x5b).fill(0.5, 0x61, 0x7b).fill(1, 0x400, 0x500);
  for (const [letters, tokens] of repeats) {
    for (const letter of letters) flat[letter.charCodeAt(0)] = tokens;
  }
  return flat;
}
