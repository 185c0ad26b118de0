import { useEffect, useState } from 'preact/hooks';
import type { SessionView } from '../wire.ts';
import { requestOrLogIn } from './proof.ts';
import { words } from './words.ts';

let asked: Promise<SessionView | undefined> | undefined;

async function ask(): Promise<SessionView | undefined> {
  const response = await requestOrLogIn('/api/session');
  return response.ok ? ((await response.json()) as SessionView) : undefined;
}

/** Asked for once a page; undefined: not known. */
export function useSession(): SessionView | undefined {
  const [session, setSession] = useState<SessionView>();
  useEffect(() => {
    asked ??= ask().catch(() => undefined);
    void asked.then(setSession);
  }, []);
  return session;
}

/** The user who is logged in, with a link to the page that logs out; nothing on the user's own machine. */
export function SessionLink() {
  const user = useSession()?.user;
  return user === undefined ? null : <a href="/login">{words.loggedIn(user)}</a>;
}
