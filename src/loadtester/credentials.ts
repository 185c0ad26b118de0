import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A text that proves the caller. With `namespace` it is valid only for Canaries of that namespace. */
export interface Credential {
  kind: 'token' | 'signingKey';
  value: string;
  namespace?: string;
}

/** Sources of credentials. Files are read again, so that a rotated Secret counts without a restart. */
export interface CredentialSources {
  token?: string | undefined;
  signingKey?: string | undefined;
  tokenFile?: string | undefined;
  signingKeyFile?: string | undefined;
  /** Files NAMESPACE.token and NAMESPACE.signingKey. */
  folder?: string | undefined;
}

/** Callers must prove themselves once a source is configured, even if it holds no credential yet. */
export const areRequired = (sources: CredentialSources): boolean => Object.values(sources).some((source) => source !== undefined);

/** All current credentials. A file that cannot be read is an error, since every caller would be rejected. */
export async function readCredentials(sources: CredentialSources): Promise<readonly Credential[]> {
  const { token, signingKey, tokenFile, signingKeyFile, folder } = sources;
  const found: Credential[] = [
    { kind: 'token', value: token ?? '' },
    { kind: 'signingKey', value: signingKey ?? '' },
    { kind: 'token', value: tokenFile === undefined ? '' : await readFile(tokenFile, 'utf8') },
    { kind: 'signingKey', value: signingKeyFile === undefined ? '' : await readFile(signingKeyFile, 'utf8') },
    ...(folder === undefined ? [] : await inFolder(folder)),
  ];
  // An empty one would let every caller in.
  return found.map((credential) => ({ ...credential, value: credential.value.trim() })).filter(({ value }) => value !== '');
}

async function inFolder(folder: string): Promise<Credential[]> {
  const found: Credential[] = [];
  for (const file of await readdir(folder)) {
    const [, namespace, kind] = /^([a-z0-9][-a-z0-9]*)\.(token|signingKey)$/.exec(file) ?? [];
    if (namespace === undefined || (kind !== 'token' && kind !== 'signingKey')) continue;
    found.push({ kind, namespace, value: await readFile(join(folder, file), 'utf8') });
  }
  return found;
}
