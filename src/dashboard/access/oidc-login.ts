import * as client from 'openid-client';
import type { EgressPolicy } from '../../outgoing/connection.ts';
import { outgoingFetch } from '../../outgoing/fetch.ts';
import { openEgress } from '../../outgoing/own-egress.ts';
import type { User } from './user.ts';

/** Claims are read as kube-apiserver's flags of the same names have them read. */
export interface OidcSettings {
  issuerUrl: string;
  clientId: string;
  /** Absent for a public client. */
  clientSecret: string | undefined;
  scopes: readonly string[];
  usernameClaim: string;
  /** By default the issuer and `#`, but nothing for the claim `email`; `-` also means no prefix. */
  usernamePrefix: string;
  /** If empty, users have no groups. */
  groupsClaim: string;
  groupsPrefix: string;
  redirectUri: string;
}

/** Policy for requests to the provider, by default direct access. */
interface OidcDeps {
  egress?: EgressPolicy;
}

/** Values that the browser keeps from the redirect to the provider until it comes back. */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The login of a provider, as an authorization code with PKCE, state and nonce. */
export interface OidcLogin {
  begin(): Promise<OidcChecks & { url: string }>;
  /** The user of the answer with which the provider sends the browser back. Its tokens are dropped. */
  finish(query: URLSearchParams, checks: OidcChecks): Promise<User>;
}

const ANSWER_WITHIN_S = 10;
/** Reserved by Kubernetes: no provider may give such a name or group. */
const RESERVED = 'system:';

/** Reads the provider's settings at the first login, and again after a failure. */
export function oidcLogin(settings: OidcSettings, { egress = openEgress }: OidcDeps = {}): OidcLogin {
  let known: Promise<client.Configuration> | undefined;
  const discovered = (): Promise<client.Configuration> => {
    const current = known ?? discover(settings, egress);
    known = current;
    current.catch(() => {
      if (known === current) known = undefined;
    });
    return current;
  };
  return {
    async begin() {
      const configuration = await discovered();
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: settings.redirectUri,
        scope: [...new Set(['openid', ...settings.scopes])].join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url: url.href, state, nonce, verifier };
    },
    async finish(query, { state, nonce, verifier }) {
      // Never by the request's own Host.
      const url = new URL(settings.redirectUri);
      url.search = query.toString();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await client.authorizationCodeGrant(await discovered(), url, checks);
      return userOfClaims(tokens.claims() ?? {}, settings);
    },
  };
}

async function discover({ issuerUrl, clientId, clientSecret }: OidcSettings, egress: EgressPolicy): Promise<client.Configuration> {
  const url = new URL(issuerUrl);
  const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const authentication = clientSecret === undefined ? client.None() : undefined;
  const configuration = await client.discovery(url, clientId, clientSecret, authentication, {
    ...{ execute, timeout: ANSWER_WITHIN_S },
    // Also of all requests after it.
    [client.customFetch]: outgoingFetch({ egress, timeoutMs: ANSWER_WITHIN_S * 1000 }),
  });
  // Verify the signature of the ID token: the trust in its connection is not enough.
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** A claim that says who the user is, and cannot be used. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError';
  readonly code = 'OIDC_CLAIM';
}

/** Source: the behaviour of kube-apiserver's OIDC authenticator, k8s.io/apiserver plugin/pkg/authenticator/token/oidc. */
export function userOfClaims(
  claims: Readonly<Record<string, unknown>>,
  { issuerUrl, usernameClaim, usernamePrefix, groupsClaim, groupsPrefix }: Omit<OidcSettings, 'redirectUri' | 'clientId' | 'clientSecret'>,
): User {
  const username = claims[usernameClaim];
  if (typeof username !== 'string' || username === '') throw new ClaimError(`claim ${usernameClaim} must be a text`);
  if (usernameClaim === 'email' && 'email_verified' in claims && claims.email_verified !== true)
    throw new ClaimError('claim email_verified must be true');
  const issuerPrefix = usernameClaim === 'email' ? '' : `${issuerUrl}#`;
  const prefix = usernamePrefix === '-' ? '' : usernamePrefix || issuerPrefix;
  const given = groupsClaim === '' ? [] : claims[groupsClaim];
  const groups = (typeof given === 'string' ? [given] : Array.isArray(given) ? given : []).filter((one) => typeof one === 'string');
  const name = `${prefix}${username}`;
  if (name.startsWith(RESERVED)) throw new ClaimError(`the user name must not begin with ${RESERVED}`);
  const prefixed = groups.map((group) => `${groupsPrefix}${group}`).filter((group) => !group.startsWith(RESERVED));
  return { name, groups: [...prefixed, 'system:authenticated'], extra: {} };
}
