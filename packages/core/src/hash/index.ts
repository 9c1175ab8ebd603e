export { randomBytes, randomHex } from "./random.ts";
export { createSha256, hmacSha256Hex, type Sha256 } from "./sha256.ts";
