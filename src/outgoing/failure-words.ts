/** Causes of a missing answer, in words for the user, by their code in Node or OpenSSL. */
const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of its host does not exist',
  EAI_AGAIN: 'DNS gives no answer about the name of its host',
  ECONNREFUSED: 'nothing listens at its address and port',
  ECONNRESET: 'it closed the connection without an answer',
  EPIPE: 'it closed the connection without an answer',
  ETIMEDOUT: 'no connection to it could be made in time',
  EHOSTUNREACH: 'no route leads to its address',
  ENETUNREACH: 'no route leads to its address',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself, and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is signed by an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an authority that is not known',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate is revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name of a host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: its address begins with http',
  EPROTO: 'it does not speak TLS as Serin does',
};

/** The cause in words with its code, or only the code. Neither holds an address. */
export function failureWords(code: string): string {
  return Object.hasOwn(WORDS, code) ? `${WORDS[code]} (${code})` : code;
}

/** The code has words. */
export const hasWords = (code: string): boolean => Object.hasOwn(WORDS, code);
