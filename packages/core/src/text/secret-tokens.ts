import {
  alphanumeric,
  dotted,
  encoded,
  hexadecimal,
  upperCase,
  word,
  type CharacterClass,
} from "./secret-characters.ts";

/** One family of tokens that is known by its prefixes. */
export interface TokenRule {
  kind: string;
  /** The class that the part after the prefix is made of. */
  charset: CharacterClass;
  /** How many characters of it make a token; below the documented length, so that a cut-off token is still masked. */
  minLength: number;
  /** The prefix is a label such as `AccountKey=` and stays. */
  isLabel: boolean;
}

type Row = [kind: string, charset: CharacterClass, minLength: number, prefixes: string];

// Formats as the providers document them, or else as the gitleaks and TruffleHog rule sets give them; the addresses
// stand beside each row of redact-secrets.test.ts. Of two prefixes that both fit, the first counts.
const tokens: Row[] = [
  ["anthropic_key", word, 16, "sk-ant-"],
  ["openai_key", word, 16, "sk-proj- sk-svcacct- sk-admin- sk-None-"],
  ["openrouter_key", word, 16, "sk-or-"],
  ["openai_key", alphanumeric, 16, "sk-"],
  ["groq_key", alphanumeric, 24, "gsk_"],
  ["xai_key", alphanumeric, 24, "xai-"],
  ["perplexity_key", alphanumeric, 24, "pplx-"],
  ["replicate_token", alphanumeric, 24, "r8_"],
  ["nvidia_key", word, 30, "nvapi-"],
  ["huggingface_token", alphanumeric, 24, "hf_ api_org_"],
  ["langsmith_key", word, 24, "lsv2_pt_ lsv2_sk_"],
  ["github_token", word, 16, "github_pat_"],
  ["github_token", alphanumeric, 16, "ghp_ gho_ ghu_ ghs_ ghr_"],
  ["gitlab_token", dotted, 16, "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941"],
  ["slack_token", encoded, 10, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe. xapp-"],
  ["aws_access_key", upperCase, 16, "AKIA ASIA ABIA ACCA"],
  ["aws_bedrock_key", encoded, 40, "ABSKQmVkcm9ja0FQSUtleS"],
  ["alibaba_access_key", alphanumeric, 12, "LTAI"],
  ["google_key", word, 30, "AIza"],
  ["google_oauth", dotted, 20, "ya29."],
  ["google_oauth", word, 20, "GOCSPX- 1//0"],
  ["azure_account_key", encoded, 20, "AccountKey= SharedAccessKey="],
  ["digitalocean_token", hexadecimal, 24, "dop_v1_ doo_v1_ dor_v1_"],
  ["databricks_token", hexadecimal, 24, "dapi"],
  ["stripe_key", alphanumeric, 16, "sk_live_ sk_test_ rk_live_ rk_test_ whsec_"],
  ["square_token", word, 20, "sq0atp- sq0csp-"],
  ["facebook_token", alphanumeric, 60, "EAA"],
  ["shopify_token", alphanumeric, 16, "shpat_ shpca_ shppa_ shpss_"],
  ["sendgrid_key", dotted, 30, "SG."],
  ["mailgun_key", hexadecimal, 24, "key-"],
  ["twilio_key", hexadecimal, 30, "SK"],
  ["npm_token", alphanumeric, 24, "npm_"],
  ["pypi_token", word, 30, "pypi-Ag"],
  ["rubygems_key", hexadecimal, 24, "rubygems_"],
  ["docker_token", word, 20, "dckr_pat_ dckr_oat_"],
  ["hashicorp_token", dotted, 20, "hvs. hvb. hvr."],
  ["pulumi_token", hexadecimal, 24, "pul-"],
  ["doppler_token", word, 24, "dp.pt. dp.st. dp.ct. dp.sa."],
  ["planetscale_token", dotted, 24, "pscale_tkn_ pscale_pw_ pscale_oauth_"],
  ["supabase_token", word, 20, "sbp_ sb_secret_"],
  ["netlify_token", alphanumeric, 24, "nfp_"],
  ["fly_token", encoded, 30, "fm1r_ fm2_ fo1_"],
  ["tailscale_key", word, 16, "tskey-"],
  ["linear_key", alphanumeric, 24, "lin_api_ lin_oauth_"],
  ["notion_token", alphanumeric, 30, "ntn_ secret_"],
  ["figma_token", word, 24, "figd_"],
  ["atlassian_token", encoded, 24, "ATATT3 ATCTT3 ATBB"],
  ["postman_key", word, 24, "PMAK-"],
  ["hubspot_token", word, 24, "pat-na1- pat-na2- pat-eu1-"],
  ["grafana_token", encoded, 24, "glsa_ glc_"],
  ["new_relic_key", upperCase, 20, "NRAK-"],
  ["sentry_token", encoded, 24, "sntrys_ sntryu_"],
  ["dynatrace_token", dotted, 30, "dt0c01. dt0s01."],
  ["dropbox_token", word, 60, "sl."],
  ["yandex_key", word, 24, "AQVN y0_ t1.9"],
  ["age_secret_key", upperCase, 20, "AGE-SECRET-KEY-1 AGE-PLUGIN-"],
  ["webhook_url", encoded, 16, "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/"],
  ["webhook_url", encoded, 16, "discord.com/api/webhooks/ discordapp.com/api/webhooks/ hooks.zapier.com/hooks/catch/"],
];

/** Every prefix with its rule. */
export const tokenRules: [prefix: string, rule: TokenRule][] = tokens.flatMap(([kind, charset, minLength, prefixes]) =>
  prefixes.split(" ").map((prefix): [string, TokenRule] => {
    return [prefix, { kind, charset, minLength, isLabel: /[=/]$/.test(prefix) }];
  }),
);
