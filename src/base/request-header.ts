/**
 * Headers that speak of the connection or frame the message, which only the client that sends it may set: with one of a user's, a proxy or server could
 * read another request out of it. Source: RFC 9110 7.6.1 and 7.2, RFC 9112 6; `proxy-connection` and `keep-alive` by practice.
 */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'proxy-authorization', 'proxy-connection', 'proxy-authenticate'],
  ...['content-length', 'host', 'transfer-encoding'],
]);
/** A token of RFC 9110 5.6.2; also a cookie's name, by RFC 6265 4.1.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A token of RFC 9110, as names of headers are. */
export const isToken = (text: string): boolean => TOKEN.test(text);
const NOT_SENT = /[^\t\x20-\x7e\x80-\xff]/;

/** Reason not to send a header that a user chose, as the rest of a sentence about it, `undefined` if it is sent. No value is repeated. */
export function headerProblem(name: string, values: readonly string[]): string | undefined {
  if (!isToken(name)) return 'is not a header name: use letters, digits and -';
  if (OF_THE_CONNECTION.has(name.toLowerCase())) return 'is set by Serin for each connection: leave it out';
  if (values.some((value) => NOT_SENT.test(value)))
    return 'has a value with a line break, a control character or one beyond Latin-1: correct the value';
  return undefined;
}
