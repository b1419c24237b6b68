/**
 * SHA-256 of a text's UTF-8 bytes. An adapter is built where the platform is known (Node, browser).
 */
export interface Hasher {
  /** 64 lower-case hexadecimal digits. */
  sha256Hex(text: string): string;
  /** 43 characters, without padding. */
  sha256Base64url(text: string): string;
}
