import { shapeReader, type SecretReader } from "./secret-source.ts";

type Row = [kind: string, characters: string, minLength: number, prefixes: string];

const word = "\\w-";
const alphanumeric = "A-Za-z0-9";
const hexadecimal = "A-Fa-f0-9";
const upper = "A-Z0-9";
const dotted = "\\w.-";
const encoded = "\\w.~%+/=-";

// Formats are documented by the providers, or else taken from the gitleaks rules.
// redact-secrets.test.ts has the sources. The minimum lengths are below the documented ones, so
// that a truncated token is still masked.
const tokens: Row[] = [
  ["anthropic_key", word, 16, "sk-ant-"],
  ["openai_key", word, 16, "sk-proj- sk-svcacct- sk-admin- sk-None-"],
  [
    "provider_token",
    word,
    16,
    "sk-or- sk-lf- sk_org_ lsv2_pt_ lsv2_sk_ sq0atp- sq0csp- tskey- dckr_pat_ dckr_oat_ sbp_ figd_",
  ],
  ["openai_key", alphanumeric, 16, "sk-"],
  ["github_token", word, 16, "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_"],
  [
    "gitlab_token",
    dotted,
    16,
    "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941",
  ],
  ["slack_token", encoded, 10, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe. xapp-"],
  ["aws_key", upper, 16, "AKIA ASIA ABIA ACCA"],
  ["aws_key", encoded, 40, "ABSKQmVkcm9ja0FQSUtleS"],
  ["google_key", word, 20, "AIza GOCSPX- 1//0"],
  ["google_key", dotted, 20, "ya29."],
  ["stripe_key", alphanumeric, 16, "sk_live_ sk_test_ rk_live_ rk_test_ whsec_"],
  ["huggingface_token", alphanumeric, 24, "hf_ api_org_"],
  ["npm_token", alphanumeric, 24, "npm_"],
  ["pypi_token", word, 30, "pypi-Ag"],
  ["sendgrid_key", dotted, 30, "SG."],
  ["twilio_key", hexadecimal, 30, "SK"],
  ["age_key", upper, 20, "AGE-SECRET-KEY-1 AGE-PLUGIN-"],
  ["provider_token", alphanumeric, 16, "LTAI shpat_ shpca_ shppa_ shpss_"],
  [
    "provider_token",
    alphanumeric,
    24,
    "gsk_ xai- pplx- r8_ nfp_ lin_api_ lin_oauth_ ntn_ secret_ NRAK-",
  ],
  ["provider_token", alphanumeric, 60, "EAA"],
  ["provider_token", hexadecimal, 24, "dop_v1_ doo_v1_ dor_v1_ dapi key- rubygems_ pul-"],
  [
    "provider_token",
    word,
    24,
    "nvapi- dp.pt. dp.st. dp.ct. dp.sa. PMAK- pat-na1- pat-na2- pat-eu1- sb_secret_ AQVN y0_ t1.9",
  ],
  [
    "provider_token",
    dotted,
    24,
    "hvs. hvb. hvr. pscale_tkn_ pscale_pw_ pscale_oauth_ dt0c01. dt0s01.",
  ],
  ["provider_token", encoded, 24, "fm1r_ fm2_ fo1_ ATATT3 ATCTT3 ATBB glsa_ glc_ sntrys_ sntryu_"],
];

/**
 * Matches where a token can begin: not inside a word, but directly after an escape such as `\n`,
 * `%3D` or a terminal colour.
 */
export const tokenStart: RegExp =
  /(?<=^|[^A-Za-z0-9]|\\[nrtbfv0]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|%[0-9a-f]{2}|\[[0-9;]{0,12}m)/iy;

/**
 * Readers of tokens that a prefix identifies, each with its prefixes. They read to the end of the
 * token, whatever its length.
 */
export const tokenReaders: [SecretReader, ...string[]][] = tokens.map(
  ([kind, characters, minLength, prefixes]) => {
    const rest = characters === dotted || characters === encoded ? characters : word;
    const either = prefixes.replaceAll(".", "\\.").replaceAll(" ", "|");
    const body = new RegExp(
      `(?:${either})[${characters}]{${minLength}}[${rest}]*(?:\\.[\\w-]{17,})*`,
      "y",
    );
    return [shapeReader(kind, tokenStart, body), ...prefixes.split(" ")];
  },
);
