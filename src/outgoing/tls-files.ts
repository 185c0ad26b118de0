/** TLS settings read from a Secret, as PEM. */
export interface TlsFiles {
  /** Authorities that are trusted, and no others. */
  ca?: string;
  /** Serin's own certificate and key. */
  cert?: string;
  key?: string;
}

type Data = Readonly<Record<string, string>> | undefined;

/** The keys that Secrets of Kubernetes have for it: `ca.crt`, `tls.crt`, `tls.key`. */
export function tlsFiles(secret: Data, caSecret?: Data): TlsFiles | undefined {
  const ca = caSecret?.['ca.crt'] ?? secret?.['ca.crt'];
  const cert = secret?.['tls.crt'];
  const key = secret?.['tls.key'];
  if (!ca && !(cert && key)) return undefined;
  return { ...(ca && { ca }), ...(cert && key ? { cert, key } : {}) };
}
