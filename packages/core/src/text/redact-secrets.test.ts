import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactSecrets } from "./redact-secrets.ts";

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits = "0123456789";
const hex = `${digits}abcdef`;
const alphanumeric = upper + upper.toLowerCase() + digits;
const base64url = `${alphanumeric}-_`;
const base64 = `${alphanumeric}+/`;

/**
 * Generates the same letters on every run, so that this file contains no token that a scanner could
 * find.
 */
function randomOf(seed: number): (alphabet: string, length: number) => string {
  let state = seed;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  // The first character is a letter or digit, as in all of these tokens.
  return (alphabet, length) =>
    Array.from({ length }, (_, index) =>
      index === 0 ? alphabet[next(16)] : alphabet[next(alphabet.length)],
    ).join("");
}

interface TokenKind {
  name: string;
  kind: string;
  /** The fixed beginning of the token. */
  prefix: string;
  alphabet: string;
  length: number;
  /** The fixed end of the token. */
  suffix?: string | undefined;
  source: string;
}

const gitleaks = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml";
const githubFormats =
  "https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/";

function row(
  name: string,
  kind: string,
  format: [string, string, number, string?],
  source: string,
): TokenKind {
  const [prefix, alphabet, length, suffix] = format;
  return {
    name,
    kind,
    prefix,
    alphabet,
    length,
    suffix,
    source,
  };
}

const tokenKinds: TokenKind[] = [
  row(
    "OpenAI key",
    "openai_key",
    ["sk-", alphanumeric, 48],
    "https://platform.openai.com/docs/api-reference/authentication",
  ),
  row("OpenAI project key", "openai_key", ["sk-proj-", base64url, 156], gitleaks),
  row("OpenAI service account key", "openai_key", ["sk-svcacct-", base64url, 156], gitleaks),
  row(
    "Anthropic key",
    "anthropic_key",
    ["sk-ant-api03-", base64url, 93, "AA"],
    "https://docs.anthropic.com/en/api/overview",
  ),
  row(
    "OpenRouter key",
    "provider_token",
    ["sk-or-v1-", hex, 64],
    "https://openrouter.ai/docs/api-reference/authentication",
  ),
  row(
    "Groq key",
    "provider_token",
    ["gsk_", alphanumeric, 52],
    "https://console.groq.com/docs/quickstart",
  ),
  row("Perplexity key", "provider_token", ["pplx-", alphanumeric, 48], gitleaks),
  row(
    "Hugging Face token",
    "huggingface_token",
    ["hf_", alphanumeric, 34],
    "https://huggingface.co/docs/hub/security-tokens",
  ),
  row("GitHub personal token", "github_token", ["ghp_", alphanumeric, 36], githubFormats),
  row("GitHub OAuth token", "github_token", ["gho_", alphanumeric, 36], githubFormats),
  row("GitHub user-to-server token", "github_token", ["ghu_", alphanumeric, 36], githubFormats),
  row("GitHub server-to-server token", "github_token", ["ghs_", alphanumeric, 36], githubFormats),
  row("GitHub refresh token", "github_token", ["ghr_", alphanumeric, 76], githubFormats),
  row(
    "GitHub fine-grained token",
    "github_token",
    ["github_pat_", `${alphanumeric}_`, 82],
    gitleaks,
  ),
  row(
    "GitLab token",
    "gitlab_token",
    ["glpat-", base64url, 20],
    "https://docs.gitlab.com/security/tokens/#token-prefixes",
  ),
  row(
    "GitLab routable token",
    "gitlab_token",
    ["glpat-", base64url, 27, ".01.0v1a2b3c4"],
    gitleaks,
  ),
  row(
    "Slack bot token",
    "slack_token",
    ["xoxb-", `${digits}`, 12, "-123456789012-AbCdEfGhIjKlMnOpQrStUvWx"],
    "https://api.slack.com/concepts/token-types",
  ),
  row(
    "Slack user token",
    "slack_token",
    ["xoxp-123456789012-123456789012-", hex, 32],
    "https://api.slack.com/concepts/token-types",
  ),
  row(
    "Slack app token",
    "slack_token",
    ["xapp-1-A0123456789-", hex, 64],
    "https://api.slack.com/concepts/token-types",
  ),
  row(
    "Slack webhook",
    "webhook_url",
    ["https://hooks.slack.com/services/T01234567/B01234567/", alphanumeric, 24],
    "https://api.slack.com/messaging/webhooks",
  ),
  row(
    "Discord webhook",
    "webhook_url",
    ["https://discord.com/api/webhooks/123456789012345678/", base64url, 68],
    "https://discord.com/developers/docs/resources/webhook",
  ),
  row(
    "AWS access key",
    "aws_key",
    ["AKIA", `${upper}234567`, 16],
    "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
  ),
  row(
    "AWS temporary access key",
    "aws_key",
    ["ASIA", `${upper}234567`, 16],
    "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
  ),
  row("Google API key", "google_key", ["AIza", base64url, 35], gitleaks),
  row(
    "Google OAuth token",
    "google_key",
    ["ya29.", base64url, 120],
    "https://developers.google.com/identity/protocols/oauth2",
  ),
  row(
    "Google OAuth client secret",
    "google_key",
    ["GOCSPX-", base64url, 28],
    "https://developers.google.com/identity/protocols/oauth2",
  ),
  row(
    "Azure storage key",
    "azure_key",
    ["AccountKey=", base64, 86, "=="],
    "https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string",
  ),
  row("Entra client secret", "entra_secret", ["a1b8Q~", base64url, 34], gitleaks),
  row("DigitalOcean token", "provider_token", ["dop_v1_", hex, 64], gitleaks),
  row("Databricks token", "provider_token", ["dapi", hex, 32], gitleaks),
  row(
    "Stripe live key",
    "stripe_key",
    ["sk_live_", alphanumeric, 99],
    "https://docs.stripe.com/keys",
  ),
  row(
    "Stripe restricted key",
    "stripe_key",
    ["rk_live_", alphanumeric, 99],
    "https://docs.stripe.com/keys",
  ),
  row("Shopify token", "provider_token", ["shpat_", hex, 32], gitleaks),
  row(
    "SendGrid key",
    "sendgrid_key",
    ["SG.", base64url, 22, ".AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg"],
    gitleaks,
  ),
  row("Mailgun key", "provider_token", ["key-", hex, 32], gitleaks),
  row("Mailchimp key", "provider_token", ["", hex, 32, "-us12"], gitleaks),
  row("Twilio key", "twilio_key", ["SK", hex, 32], "https://www.twilio.com/docs/iam/api-keys"),
  row(
    "Telegram bot token",
    "telegram_token",
    ["1234567890:AA", base64url, 33],
    "https://core.telegram.org/bots/api#authorizing-your-bot",
  ),
  row(
    "Discord bot token",
    "discord_token",
    ["MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.", base64url, 38],
    "https://discord.com/developers/docs/reference#authentication",
  ),
  row(
    "npm token",
    "npm_token",
    ["npm_", alphanumeric, 36],
    "https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/",
  ),
  row("PyPI token", "pypi_token", ["pypi-AgEIcHlwaS5vcmc", base64url, 150], gitleaks),
  row("RubyGems key", "provider_token", ["rubygems_", hex, 48], gitleaks),
  row(
    "Docker token",
    "provider_token",
    ["dckr_pat_", base64url, 27],
    "https://docs.docker.com/security/access-tokens/",
  ),
  row(
    "Vault token",
    "provider_token",
    ["hvs.", base64url, 95],
    "https://developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes",
  ),
  row(
    "Terraform Cloud token",
    "provider_token",
    ["A1b2C3d4E5f6G7.atlasv1.", base64url, 67],
    gitleaks,
  ),
  row("Linear key", "provider_token", ["lin_api_", alphanumeric, 40], gitleaks),
  row("Notion token", "provider_token", ["ntn_", alphanumeric, 46], gitleaks),
  row("Atlassian token", "provider_token", ["ATATT3", `${base64url}=`, 186], gitleaks),
  row(
    "Postman key",
    "provider_token",
    ["PMAK-", hex, 24, "-0123456789abcdef0123456789abcdef01"],
    gitleaks,
  ),
  row("Grafana token", "provider_token", ["glsa_", alphanumeric, 32, "_0a1b2c3d"], gitleaks),
  row(
    "age key",
    "age_key",
    ["AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58],
    "https://github.com/C2SP/C2SP/blob/main/age.md",
  ),
  row(
    "signed JWT",
    "jwt",
    ["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.", base64url, 43],
    "https://www.rfc-editor.org/rfc/rfc7519",
  ),
  row(
    "unsigned JWT",
    "jwt",
    ["eyJhbGciOiJub25lIn0.eyJ", base64url, 60, "."],
    "https://www.rfc-editor.org/rfc/rfc7519",
  ),
  row(
    "encrypted JWT",
    "jwt",
    ["eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..", base64url, 60, ".abcdefghijkl.mnopqrstuvwx"],
    "https://www.rfc-editor.org/rfc/rfc7516",
  ),
];

function expectNoLeak(secret: string, output: string): void {
  const pieces = Array.from({ length: secret.length - 5 }, (_, start) =>
    secret.slice(start, start + 6),
  );
  expect({ output, left: pieces.filter((piece) => output.includes(piece)) }).toEqual({
    output,
    left: [],
  });
}

const surroundings: [name: string, wrap: (token: string) => string][] = [
  ["alone", (token) => token],
  ["at the end of a sentence", (token) => `Use ${token}.`],
  ["next to punctuation", (token) => `(see ${token}), and`],
  ["in a JSON string", (token) => `{"x":"${token}","y":1}`],
  ["after an escaped line break", (token) => String.raw`"first\n${token}\nlast"`],
  ["as a query parameter", (token) => `https://host.test/path?a=1&k=${token}&b=2`],
  ["after a percent-encoded sign", (token) => `next=%2Fpath%3Fk%3D${token}`],
  ["in an env file", (token) => `A=1\nSOME_TOKEN=${token}\nB=2`],
  ["in colour", (token) => `\u001b[33m${token}\u001b[0m`],
  ["between backticks", (token) => `run \`${token}\` now`],
  ["twice on a line", (token) => `${token} ${token}`],
];

describe("provider tokens", () => {
  it("cover each kind once, with a source", () => {
    expect(tokenKinds.length).toBeGreaterThan(50);
    for (const { source } of tokenKinds) expect(source).toMatch(/^https:/);
  });

  it.each(tokenKinds)(
    "are masked whole in any surroundings: $name",
    ({ kind, prefix, alphabet, length, suffix }) => {
      const random = randomOf(length);
      const secret = random(alphabet, length);
      const token = prefix + secret + (suffix ?? "");
      expect(redactSecrets(token).findings.map((finding) => finding.kind)).toEqual([kind]);
      for (const [, wrap] of surroundings) {
        const { text } = redactSecrets(wrap(token));
        expectNoLeak(secret + (suffix ?? ""), text);
        expect(text).toContain("[redacted:");
      }
    },
  );

  it.each(tokenKinds.filter(({ name }) => !["Mailchimp key", "Telegram bot token"].includes(name)))(
    "are masked to the end if far longer than documented: $name",
    ({ kind, prefix, alphabet, length, suffix }) => {
      const secret = randomOf(length + 1)(alphabet, length * 4);
      const { text, findings } = redactSecrets(`x ${prefix}${secret}${suffix ?? ""} y`);
      expectNoLeak(secret, text);
      expect(findings).toHaveLength(1);
      expect(findings[0]?.kind).toBe(kind);
    },
  );

  it.each([
    "class sk-loading-spinner-container-large",
    "pnpm_config_user_agent npm_config_registry_authority",
    "AKIA and ASIA are prefixes; AIza too",
    "task-force-one-two-three-four-five-six",
    "SG.foo SK1234 key-value hf_hub_download",
    "data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0=",
    "https://hooks.slack.com/docs",
  ])("do not include %j", (text) => {
    expect(redactSecrets(text)).toEqual({ text, findings: [] });
  });
});

const password = `pa${"55w0rd"}!x`;

describe("headers", () => {
  const random = randomOf(7);
  const bearer = random(base64url, 40);
  const basic = btoa(`user:${random(alphanumeric, 12)}`);
  it.each([
    [`Authorization: Bearer ${bearer}`, "Authorization: Bearer [redacted:bearer_token]"],
    [
      `curl -H "authorization: bearer ${bearer}" x`,
      'curl -H "authorization: bearer [redacted:bearer_token]" x',
    ],
    [`{"Authorization":"Bearer ${bearer}"}`, '{"Authorization":"Bearer [redacted:bearer_token]"}'],
    [`sent Bearer ${bearer}, then`, "sent Bearer [redacted:bearer_token], then"],
    [`Authorization: Basic ${basic}`, "Authorization: Basic [redacted:basic_credentials]"],
    [
      `Proxy-Authorization: Basic ${basic}`,
      "Proxy-Authorization: Basic [redacted:basic_credentials]",
    ],
    [`with Basic ${basic}.`, "with Basic [redacted:basic_credentials]."],
    [`X-Api-Key: ${random(hex, 20)}`, "X-Api-Key: [redacted:secret_value]"],
  ])("masks the credentials of %j", (text, expected) => {
    expect(redactSecrets(text).text).toBe(expected);
  });

  it.each([
    "bearer authentication is required",
    "Basic Authentication with a realm",
    "Authorization: Bearer <token>",
    "headers.Authorization = `Bearer ${token}`",
  ])("leaves %j unchanged", (text) => {
    expect(redactSecrets(text).text).toBe(text);
  });
});

describe("private keys", () => {
  const random = randomOf(3);
  const lines = Array.from({ length: 4 }, () => random(base64, 64));
  const begin = (label: string): string => `-----BEGIN ${label}-----`;
  const end = (label: string): string => `-----END ${label}-----`;

  it.each([
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
  ])("masks the whole block of a %s", (label) => {
    const block = [begin(label), ...lines, "QUJD=", end(label)].join("\n");
    expect(redactSecrets(`a\n${block}\nb`).text).toBe("a\n[redacted:private_key]\nb");
    expect(redactSecrets(JSON.stringify({ key: block, b: 1 })).text).toBe(
      '{"key":"[redacted:private_key]","b":1}',
    );
    expect(redactSecrets(`KEY='${block.replaceAll("\n", " ")}'`).text).toBe(
      "KEY='[redacted:private_key]'",
    );
  });

  it.each([
    ["in the middle of a line", [...lines, "QUJDREVG"], ""],
    ["with an ellipsis", [...lines, `${random(base64, 20)}...`], "..."],
    [
      "before prose",
      [...lines, "", "and the rest was lost (sorry)"],
      "\n\nand the rest was lost (sorry)",
    ],
    ["after its headers", ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00", "", ...lines], ""],
  ])("masks a key that was truncated %s", (_name, body, rest) => {
    const text = [begin("RSA PRIVATE KEY"), ...body].join("\n");
    expect(redactSecrets(text).text).toBe(`[redacted:private_key]${rest}`);
    expect(redactSecrets(JSON.stringify(text)).text.startsWith('"[redacted:private_key]')).toBe(
      true,
    );
  });

  it("leaves public keys, certificates and markers without a key unchanged", () => {
    const text = [
      begin("PUBLIC KEY"),
      ...lines,
      end("PUBLIC KEY"),
      begin("CERTIFICATE"),
      ...lines,
      end("CERTIFICATE"),
    ].join("\n");
    expect(redactSecrets(text).text).toBe(text);
    const code = `pem.replace("${begin("PRIVATE KEY")}", "").replace("${end("PRIVATE KEY")}", "")`;
    expect(redactSecrets(code).text).toBe(code);
  });

  it("does not mistake the end of another block for a key's own", () => {
    const text = [
      begin("PRIVATE KEY"),
      ...lines,
      begin("CERTIFICATE"),
      "keep",
      end("CERTIFICATE"),
    ].join("\n");
    expect(redactSecrets(text).text).toBe(
      `[redacted:private_key]\n${[begin("CERTIFICATE"), "keep", end("CERTIFICATE")].join("\n")}`,
    );
  });
});

describe("passwords in URLs", () => {
  it.each([
    [
      `postgres://user:${password}@db:5432/app?x=1`,
      "postgres://user:[redacted:url_password]@db:5432/app?x=1",
    ],
    [`"mongodb+srv://u:${password}@a,b/c"`, '"mongodb+srv://u:[redacted:url_password]@a,b/c"'],
    [`redis://:${password}@host`, "redis://:[redacted:url_password]@host"],
    [`amqp://u:a@${password}:b@host`, "amqp://u:[redacted:url_password]@host"],
    [`mysql://u:a/${password}@host/db`, "mysql://u:[redacted:url_password]@host/db"],
    [`https://u:${password}@host/@scope/pkg`, "https://u:[redacted:url_password]@host/@scope/pkg"],
  ])("masks only the password of %j", (text, expected) => {
    expect(redactSecrets(text).text).toBe(expected);
  });

  it.each([
    "https://host.test:8080/@scope/package",
    "https://user@host.test/",
    "postgres://user:${PASSWORD}@host/db",
    "postgres://user:<password>@host/db",
    "http://a.test:80, mail b@c.test",
  ])("leaves %j unchanged", (text) => {
    expect(redactSecrets(text).text).toBe(text);
  });
});

describe("pairs whose name suggests a secret", () => {
  it.each([
    `PASSWORD=${"¤"}`,
    `export DB_PASSWORD=${"¤"}\nX=1`,
    `{"password": "${"¤"}"}`,
    `{"clientSecret":"${"¤"}","b":1}`,
    String.raw`"{\"password\":\"¤\",\"b\":1}"`,
    `const apiKey = '¤';`,
    "const privateKey: string = `¤`;",
    `password: str = "¤"`,
    `client_secret: ¤\nnext: 1`,
    `  - api_key: "¤"`,
    `access-token => '¤',`,
    `config["secret_key"] = "¤"`,
    `https://host.test/?a=1&access_token=¤&b=2`,
    `Server=x;User Id=sa;Password=¤;Encrypt=true`,
    `tool --password ¤ --verbose`,
    `tool --api-key=¤`,
    `<password>¤</password>`,
    `:_authToken=¤`,
    `aws_secret_access_key = ¤`,
    `SECRET_KEY_BASE=¤`,
    `pwd=¤`,
  ])("masks the value in %j", (template) => {
    for (const value of [password, "Zq8mK2vX9pLw", randomOf(5)(base64, 40)]) {
      const { text, findings } = redactSecrets(template.replace("¤", value));
      expect(text).toBe(template.replace("¤", "[redacted:secret_value]"));
      expect(findings).toHaveLength(1);
    }
  });

  it.each([
    [`password = "two words"`, `password = "[redacted:secret_value]"`],
    [String.raw`password = "a\"b\\" + x`, String.raw`password = "[redacted:secret_value]" + x`],
    [`secret: 'it''s here'`, `secret: '[redacted:secret_value]'`],
    [`password: correct horse battery\nnext: 1`, `password: [redacted:secret_value]\nnext: 1`],
    [`PASSWORD=a,b;c&d(e)f\n`, `PASSWORD=[redacted:secret_value]\n`],
    [`DB_PASSWORD="never closed\nB=2`, `DB_PASSWORD="[redacted:secret_value]\nB=2`],
    [`f(password="abc", other=1)`, `f(password="[redacted:secret_value]", other=1)`],
    [`PASSWORD=letters`, `PASSWORD=[redacted:secret_value]`],
    ["password=p@ss!word<br>", "password=[redacted:secret_value]<br>"],
    [`password: 1234`, `password: [redacted:secret_value]`],
    [
      String.raw`{"a":"x\nPASSWORD=letters\r\nB=2"}`,
      String.raw`{"a":"x\nPASSWORD=[redacted:secret_value]\r\nB=2"}`,
    ],
    [
      String.raw`"x\nexport PASSWORD=letters\n"`,
      String.raw`"x\nexport PASSWORD=[redacted:secret_value]\n"`,
    ],
    [
      String.raw`"x\npassword: two words\nb"`,
      String.raw`"x\npassword: [redacted:secret_value]\nb"`,
    ],
    [String.raw`C:\token=abcdef123456`, String.raw`C:\token=[redacted:secret_value]`],
  ])("masks all of %j and no more", (text, expected) => {
    expect(redactSecrets(text).text).toBe(expected);
  });

  it.each([
    "token_count: 12",
    "max_tokens=800",
    '{"total_tokens": 128000, "token": 5, "secret": true, "password": null}',
    "password: string;",
    "token?: CancellationToken",
    "apiKey: process.env.API_KEY,",
    "api_key = os.environ['API_KEY']",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "password: {{ .Values.password }}",
    "const token = getToken();",
    "token = utf8ToBase64Url2(text)",
    "  key: Buffer<ArrayBuffer>",
    "this.token = token;",
    "token = tokens[index]",
    "login(password=password, token=self.token)",
    'token: "string-literal"',
    'credentials: "include"',
    'password: "Enter your password"',
    'secret: "client_secret"',
    'API_KEY="<your key>"',
    "API_KEY=your-api-key",
    'if (password === "x") {}',
    "tokenizer: o200k_base",
    "public_key = abc123def456",
    "passwordMinLength: 12345678",
    "The secret: nobody knows.",
  ])("leaves %j unchanged", (text) => {
    expect(redactSecrets(text)).toEqual({ text, findings: [] });
  });
});

const words =
  "password token api_key Secret authorization user: ----- BEGIN END PRIVATE KEY eyJ Bearer basic sk- ghp_ AKIA";
const marks = String.raw`= : , ; & " ' \ \n ( < > { } $ -- - _ . @ :// ] [redacted: [redacted:jwt] %3D Q~ :AA é 🙂 aB1cD2eF3gH4iJ5kL6mN7 0123456789`;
const pieces = [
  ...words.split(" "),
  ...marks.split(" "),
  " ",
  "\n",
  ": ",
  "Bearer ",
  "-----BEGIN PRIVATE KEY-----",
];
const hostileText = fc
  .array(fc.constantFrom(...pieces), { maxLength: 60 })
  .map((parts) => parts.join(""));

describe("for every text", () => {
  it("masking a second time changes nothing", () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: "binary" })), (text) => {
        const once = redactSecrets(text).text;
        expect(redactSecrets(once).text).toBe(once);
      }),
    );
  });

  it("the findings are ordered, do not overlap, and explain the output", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const result = redactSecrets(text);
        let rebuilt = "";
        let end = 0;
        for (const finding of result.findings) {
          expect(finding.start).toBeGreaterThanOrEqual(end);
          expect(finding.end).toBeGreaterThan(finding.start);
          rebuilt += `${text.slice(end, finding.start)}[redacted:${finding.kind}]`;
          end = finding.end;
        }
        expect(result.text).toBe(rebuilt + text.slice(end));
      }),
    );
  });

  it("thousands of secrets are each masked in place", () => {
    const line = (value: string): string => `password="${value}"; `;
    const values = Array.from({ length: 5_000 }, (_, index) => `hunter-${index}`);
    expect(redactSecrets(values.map(line).join("")).text).toBe(
      line("[redacted:secret_value]").repeat(5_000),
    );
  });

  it("a token inside it is always masked", () => {
    const secret = randomOf(9)(alphanumeric, 36);
    fc.assert(
      fc.property(hostileText, hostileText, (before, after) => {
        expectNoLeak(secret, redactSecrets(`${before} ghp_${secret} ${after}`).text);
      }),
    );
  });
});

// A scan that is quadratic anywhere would take hours for these texts and exceed the runner's time
// limit.
describe("hostile texts of 500,000 characters are scanned in time", () => {
  const size = 500_000;
  const filled = (unit: string): string => unit.repeat(Math.ceil(size / unit.length));

  it.each([
    `-----BEGIN `,
    `-----BEGIN PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----AAAA`,
    `-----BEGIN PRIVATE KEY-----\n`,
    `-----END PRIVATE KEY-----`,
    `a=`,
    `://`,
    `://x:y/`,
    `://x:y`,
    `://a:`,
    `eyJ.`,
    `eyJ`,
    `-eyJ`,
    `eyJaaaaaaaaaaaaaaaa.`,
    `token`,
    `token=`,
    `token: `,
    `token:x.`,
    `password="`,
    `password="\\`,
    `password='''`,
    `password=(`,
    `password=,;&`,
    `password: a b\n`,
    `<password>`,
    `--token `,
    `sk-`,
    `sk-1`,
    `ghp_`,
    `AKIA`,
    `1:A`,
    `Q~`,
    `0-us`,
    `.atlasv1.`,
    `MT`,
    `[redacted:`,
    `key `,
    `\\`,
    `%3D`,
    `authorization: bearer `,
    `bearer `,
    `basic aaaaaa`,
    `hooks.slack.com/services/`,
    `xoxb-`,
    `\u001b[3m`,
    `pass`,
    `@`,
    `é`,
  ])("repeated %j", (unit) => {
    const { findings } = redactSecrets(filled(unit));
    for (const { start, end } of findings) expect(end).toBeGreaterThan(start);
  });

  it("any three pieces, repeated", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }), (parts) => {
        const unit = parts.join("");
        redactSecrets(unit.repeat(Math.ceil(100_000 / unit.length)));
      }),
    );
  });
});

describe("masking is bounded", () => {
  const rest = "GET /orders/17 took 20 ms and gave 200. ".repeat(200);

  it.each([
    ["an unclosed quote", `password = "hunter22 ${rest}`],
    ["an unclosed quote within JSON", JSON.stringify({ log: `password: 'hunter22 ${rest}` })],
    [
      "a key without its end",
      `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\nabc=\nStatus: ok\n${rest}`,
    ],
  ])("after %s the remaining text stays", (_name, text) => {
    const { text: masked, findings } = redactSecrets(text);
    expect(findings).toHaveLength(1);
    expect(masked).not.toMatch(/hunter22|MIIEvQ/);
    expect(masked.length).toBeGreaterThan(text.length - 400);
  });
});
