/** A header that a page of another origin can send only after a CORS preflight, which the server never grants. */
export const OWN_HEADER = 'x-serin-dashboard';

/**
 * Half of a session, beside its cookie. Browsers send a cookie to every port of its host, where a forwarded pod or another user of the machine may
 * listen. The proof is in the storage of the page's origin, which has the port in it, and no other port gets it.
 */
export const PROOF_HEADER = 'x-serin-proof';

/** Header of an answer without a session: the page at which users log in. */
export const LOGIN_HEADER = 'x-serin-login';

const FRAGMENT = '#proof=';

/** The path with the proof, for a redirect: a fragment is sent to no server. */
export const withProof = (path: string, proof: string): string => `${path}${FRAGMENT}${proof}`;

/** The proof with which the page was opened, if there was one. */
export const proofIn = (fragment: string): string | undefined =>
  fragment.startsWith(FRAGMENT) ? fragment.slice(FRAGMENT.length) : undefined;
