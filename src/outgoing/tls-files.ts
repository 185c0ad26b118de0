/** TLS settings read from a Secret, as PEM. */
export interface TlsFiles {
  /** Authorities that are trusted, and no others. */
  ca?: string;
  /** Serin's own certificate and key. */
  cert?: string;
  key?: string;
}

type Data = Readonly<Record<string, string>> | undefined;

const TLS_KEYS: ReadonlySet<string> = new Set([
  ...['ca.crt', 'tls.crt', 'tls.key'],
  // The same in other formats, which cert-manager can add: they are not read.
  ...['tls-combined.pem', 'key.der', 'keystore.jks', 'truststore.jks', 'keystore.p12', 'truststore.p12'],
]);

/** Has TLS settings and nothing else: another key can be a mistyped one of credentials. */
export function isOnlyForTls(secret: Data): boolean {
  return tlsFiles(secret) !== undefined && Object.keys(secret ?? {}).every((key) => TLS_KEYS.has(key));
}

/** The keys that Secrets of Kubernetes have for it: `ca.crt`, `tls.crt`, `tls.key`. */
export function tlsFiles(secret: Data, caSecret?: Data): TlsFiles | undefined {
  const ca = caSecret?.['ca.crt'] ?? secret?.['ca.crt'];
  const cert = secret?.['tls.crt'];
  const key = secret?.['tls.key'];
  if (!ca && !(cert && key)) return undefined;
  return { ...(ca && { ca }), ...(cert && key ? { cert, key } : {}) };
}
