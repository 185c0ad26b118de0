import { LOGIN_HEADER, PROOF_HEADER, proofIn } from '../own-headers.ts';

// Key for the origin, which includes the port, and is the same in all tabs.
const KEY = 'serin-proof';

/** Keeps the proof of a session for the next pages. */
export const keepProof = (proof: string | null): void => (proof === null ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, proof));

const withHeader = (init: RequestInit, proof: string | null): RequestInit => ({
  ...init,
  headers: { ...init.headers, ...(proof !== null && { [PROOF_HEADER]: proof }) },
});

/** A request of the page, in its session. */
export const request = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(path, withHeader(init, localStorage.getItem(KEY)));

/** The same; without a session it opens the login page, if there is one. */
export async function requestOrLogIn(path: string, init?: RequestInit): Promise<Response> {
  const response = await request(path, init);
  const login = response.status === 401 ? response.headers.get(LOGIN_HEADER) : null;
  if (login !== null) location.replace(`${login}?next=${encodeURIComponent(location.pathname)}`);
  return response;
}

/** Keeps the proof that this page was opened with, and takes it out of the address. A link of someone else may bring a wrong one: it is tried first. */
export async function adoptProof(): Promise<void> {
  const proof = proofIn(location.hash);
  if (proof === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  const { ok } = await fetch('/api/session', withHeader({}, proof));
  if (ok) keepProof(proof);
}
