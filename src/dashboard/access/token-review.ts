import * as z from 'zod';
import type { Cluster } from '../../kube/cluster.ts';
import type { User } from './user.ts';

const Strings = z.array(z.string()).nullish();
const Reviewed = z.object({
  authenticated: z.boolean().nullish(),
  audiences: Strings,
  user: z
    .object({
      username: z.string().nullish(),
      uid: z.string().nullish(),
      groups: Strings,
      extra: z.record(z.string(), z.array(z.string())).nullish(),
    })
    .nullish(),
});

/** The user of a token, and when the token itself expires, in epoch milliseconds. */
export interface Authenticated {
  user: User;
  expiresAtMs?: number | undefined;
}

/**
 * Has the API server review the token; `undefined` if it rejects the token, or does not accept it for the audience. An empty `audience` is that of the API
 * server. Errors are the cluster's, and contain nothing of the token.
 */
export async function reviewToken(cluster: Pick<Cluster, 'create'>, token: string, audience: string): Promise<Authenticated | undefined> {
  const answer = await cluster.create({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: { name: '' },
    spec: { token, ...(audience && { audiences: [audience] }) },
  });
  const { authenticated, audiences, user } = Reviewed.parse(answer.status ?? {});
  if (authenticated !== true || !user?.username) return undefined;
  // An authenticator that knows no audiences lists none; its tokens are for the API server.
  if (audience && !audiences?.includes(audience)) return undefined;
  return {
    user: { name: user.username, uid: user.uid ?? undefined, groups: user.groups ?? [], extra: user.extra ?? {} },
    expiresAtMs: expiryOf(token),
  };
}

/** The claim `exp` of a JWT that was accepted already; other tokens do not show it. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return z.object({ exp: z.number() }).parse(claims).exp * 1_000;
  } catch {
    return undefined;
  }
}
