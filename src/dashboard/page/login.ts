import { OWN_HEADER, PROOF_HEADER } from '../own-headers.ts';
import { keepProof, request } from './proof.ts';

/** Texts of the login page. */
const words = {
  checking: 'The token is being checked …',
  unreachable: 'The dashboard does not answer: load this page again.',
};

/** Answer of `/login/state`. */
interface State {
  oidc: boolean;
  /** A path of this site, checked by the server. */
  next: string;
  user?: string;
}

const part = <T extends HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as T;
};
const say = (text: string): void => {
  part('problem').textContent = text;
};
const post = (path: string, body: object): Promise<Response> =>
  request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [OWN_HEADER]: '1' },
    body: JSON.stringify(body),
  });

async function start(): Promise<void> {
  const asked = new URLSearchParams(location.search).get('next');
  const response = await request(`/login/state?next=${encodeURIComponent(asked ?? '/')}`);
  if (!response.ok) return say((await response.text()).trim());
  const { oidc, next, user } = (await response.json()) as State;
  // A link from another site comes without the cookie, and this page with it.
  if (user !== undefined && asked !== null) return location.replace(next);
  part('user').textContent = user ?? '';
  part('inside').hidden = user === undefined;
  part('outside').hidden = user !== undefined;
  part('provider').hidden = !oidc;
  part<HTMLAnchorElement>('oidc').href = `/login/oidc?next=${encodeURIComponent(next)}`;
  part<HTMLFormElement>('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void byToken(next);
  });
  part('out').addEventListener('click', () => void out());
}

async function byToken(next: string): Promise<void> {
  const field = part<HTMLInputElement>('token');
  const token = field.value.trim();
  field.value = '';
  say(words.checking);
  const response = await post('/login', { token });
  if (response.ok) {
    keepProof(response.headers.get(PROOF_HEADER));
    return location.replace(next);
  }
  say((await response.text()).trim());
  field.focus();
}

async function out(): Promise<void> {
  await post('/logout', {});
  keepProof(null);
  location.replace('/login');
}

start().catch(() => say(words.unreachable));
