import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCanary } from '../../test/contracts/routers-cases.ts';
import { canaryCookieSeconds, cookiePattern, pairOfPattern, primaryCookieSeconds, setCookie } from './cookie.ts';

describe('cookiePattern', () => {
  const holds = (header: string) => new RegExp(`^(?:${cookiePattern('s.c=Ab1')})$`).test(header);
  it.each(['s.c=Ab1', 'a=1; s.c=Ab1', 's.c=Ab1; b=2', 'a=1;s.c=Ab1;b=2'])('finds the pair in %j', (header) =>
    expect(holds(header)).toBe(true),
  );
  it.each(['sxc=Ab1', 'xs.c=Ab1', 's.c=Ab12', 's.c=Ab', 'a=s.c; b=Ab1', ''])('does not find it in %j', (header) =>
    expect(holds(header)).toBe(false),
  );
  it('is read back, and so is that of Flagger', () => {
    expect(pairOfPattern(cookiePattern('s.c=Ab1'))).toBe('s.c=Ab1');
    expect(pairOfPattern('.*sh-canary.*QwErTyUiOp.*')).toBe('sh-canary=QwErTyUiOp');
    expect(pairOfPattern('beta')).toBeUndefined();
  });
  it('parts a foreign pattern as a search with backtracking would, in linear time', () => {
    const piece = fc.constantFrom('.*', '.', '*', 'a', '\n');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const found = /^\.\*(.+)\.\*(.+?)\.\*$/s.exec(pieces.join(''));
        expect(pairOfPattern(pieces.join(''))).toBe(found ? `${found[1]}=${found[2]}` : undefined);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('setCookie', () => {
  it("writes every attribute in Flagger's order", () => {
    const sessionAffinity = { cookieName: 'c', domain: 'd', httpOnly: true, partitioned: true, path: '/', sameSite: 'Lax', secure: true };
    expect(setCookie(aCanary({ analysis: { sessionAffinity } }), 'c=v', 5)).toBe(
      'c=v; Max-Age=5; Domain=d; HttpOnly; Partitioned; Path=/; SameSite=Lax; Secure',
    );
  });
  it.each([
    { maxAge: undefined, seconds: 86_400 },
    { maxAge: 0, seconds: 86_400 },
    { maxAge: 60, seconds: 60 },
  ])('maxAge $maxAge lasts $seconds s', ({ maxAge, seconds }) => {
    expect(
      canaryCookieSeconds(aCanary({ analysis: { sessionAffinity: { cookieName: 'c', ...(maxAge === undefined ? {} : { maxAge }) } } })),
    ).toBe(seconds);
  });
  it.each([
    { interval: '30s', seconds: 30 },
    { interval: '1m30s', seconds: 90 },
    { interval: '1mx', seconds: 60 },
  ])('the cookie of the primary lasts $seconds s at interval $interval', ({ interval, seconds }) => {
    expect(primaryCookieSeconds(aCanary({ analysis: { interval } }))).toBe(seconds);
  });
});
