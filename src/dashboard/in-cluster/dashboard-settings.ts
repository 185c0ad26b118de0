import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isLocal } from '../access/listener.ts';
import type { OidcSettings } from '../access/oidc-login.ts';

/** The flags of the controller that its dashboard needs. */
export interface DashboardFlags {
  dashboardPort: number;
  dashboardLocalPort: number;
  dashboardVerbs: boolean;
  dashboardTlsCertFile: string;
  dashboardTlsKeyFile: string;
  dashboardTokenAudience: string;
  dashboardOidcIssuerUrl: string;
  dashboardOidcClientId: string;
  dashboardOidcClientSecretFile: string;
  dashboardOidcScopes: string[];
  dashboardOidcUsernameClaim: string;
  dashboardOidcUsernamePrefix: string;
  dashboardOidcGroupsClaim: string;
  dashboardOidcGroupsPrefix: string;
  dashboardUrl: string;
  namespaces: readonly string[];
  meshProvider: string;
}

/** Certificates and their key, by their files. */
export interface TlsFilePaths {
  certFile: string;
  keyFile: string;
}

/** Settings of the dashboard in the controller, checked. */
export interface DashboardSettings {
  /** For the Service. */
  port: number;
  /** On the loopback address, for a port-forward. */
  localPort: number;
  /** If absent, the dashboard is reached only by a port-forward. */
  origin: string | undefined;
  mayAct: boolean;
  tls: TlsFilePaths | undefined;
  audience: string;
  oidc: OidcSettings | undefined;
  namespaces: readonly string[];
  meshProvider: string;
}

/** The settings, or what is wrong with the flags. */
export function dashboardSettings(flags: DashboardFlags): DashboardSettings | { problems: string[] } {
  const problems: string[] = [];
  const { dashboardUrl, dashboardTlsCertFile: certFile, dashboardTlsKeyFile: keyFile } = flags;
  const url = dashboardUrl === '' ? undefined : new URL(dashboardUrl);
  if (url && url.pathname !== '/')
    problems.push('--dashboard-url: with --dashboard the address must have no path, since the page is at /: use a host name of its own');
  const isOfPortForward = url !== undefined && isLocal(url.host);
  if (isOfPortForward && url.protocol !== 'http:')
    problems.push('--dashboard-url: with --dashboard a local address must begin with http://, since it is reached by a port-forward');
  if (url && url.protocol !== 'https:' && !isOfPortForward)
    problems.push(
      '--dashboard-url: with --dashboard the address must begin with https://, or browsers keep the session cookie to themselves',
    );
  if ((certFile === '') !== (keyFile === '')) problems.push('--dashboard-tls-cert-file and --dashboard-tls-key-file: give both, or none');
  const { dashboardPort: port, dashboardLocalPort: localPort } = flags;
  if (!(port <= 65_535)) problems.push('--dashboard-port: must be a port from 0 to 65535');
  if (!(localPort <= 65_535)) problems.push('--dashboard-local-port: must be a port from 0 to 65535');
  if (port === localPort && port !== 0) problems.push('--dashboard-local-port: must be another port than --dashboard-port');
  const oidc = oidcSettings(flags, url?.origin, problems);
  if (problems.length > 0) return { problems };
  return {
    ...{ port, localPort },
    origin: url?.origin,
    mayAct: flags.dashboardVerbs,
    tls: certFile === '' ? undefined : { certFile, keyFile },
    audience: flags.dashboardTokenAudience,
    oidc,
    namespaces: flags.namespaces,
    meshProvider: flags.meshProvider,
  };
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

function oidcSettings(flags: DashboardFlags, origin: string | undefined, problems: string[]): OidcSettings | undefined {
  const { dashboardOidcIssuerUrl: issuerUrl, dashboardOidcClientId: clientId, dashboardOidcClientSecretFile: secretFile } = flags;
  if (issuerUrl === '') {
    if (clientId + secretFile !== '') problems.push('--dashboard-oidc-issuer-url: is needed with the other flags of OIDC');
    return undefined;
  }
  const issuer = URL.parse(issuerUrl);
  if (issuer === null || !(issuer.protocol === 'https:' || (issuer.protocol === 'http:' && isLoopback(issuer.hostname))))
    problems.push('--dashboard-oidc-issuer-url: must be an https URL: write it like https://login.example.org');
  if (clientId === '') problems.push('--dashboard-oidc-client-id: is needed with --dashboard-oidc-issuer-url');
  if (origin === undefined) problems.push('--dashboard-url: is needed with OIDC, since the provider sends browsers back to it');
  return {
    ...{ issuerUrl, clientId, clientSecret: secretIn(secretFile, problems), scopes: flags.dashboardOidcScopes },
    usernameClaim: flags.dashboardOidcUsernameClaim,
    usernamePrefix: flags.dashboardOidcUsernamePrefix,
    groupsClaim: flags.dashboardOidcGroupsClaim,
    groupsPrefix: flags.dashboardOidcGroupsPrefix,
    redirectUri: `${origin}/login/callback`,
  };
}

function secretIn(file: string, problems: string[]): string | undefined {
  if (file === '') return undefined;
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret === '') problems.push(`--dashboard-oidc-client-secret-file: ${file} is empty: write the client secret into it`);
    return secret;
  } catch (error) {
    problems.push(`--dashboard-oidc-client-secret-file: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    return undefined;
  }
}
