import { PROOF_HEADER, proofIn } from '../../src/dashboard/own-headers.ts';

/** Both halves of the session that the address of `serin dashboard` opens, as a request has them. */
export async function sessionBy(address: string): Promise<{ cookie: string; [PROOF_HEADER]: string }> {
  const login = await fetch(address, { redirect: 'manual' });
  const { hash } = new URL(login.headers.get('location') ?? '', address);
  return { cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '', [PROOF_HEADER]: proofIn(hash) ?? '' };
}
