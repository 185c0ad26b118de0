import { expect, it } from 'vitest';
import { readRequest, writeRequest } from './verb-request.ts';

it('E70: a request is read back unmodified, to the millisecond and with the whole user name', () => {
  const request = { verb: 'promote', id: '4f1d-2c', atMs: 1_795_339_801_437, by: 'oidc:Ann Example <ann@example.org>' } as const;
  expect(readRequest(writeRequest(request))).toEqual(request);
});

it.each([
  { text: 'stop 1 2026-11-22T09:30:00Z ann', id: '1', problem: 'the verb "stop"' },
  { text: 'promote a/b 2026-11-22T09:30:00Z ann', id: 'promote a/b 2026-11-22T09:30:00Z ann', problem: 'the id' },
  { text: 'promote 1 soon ann', id: '1', problem: 'the time' },
  { text: 'promote 1 2026-11-22T09:30:00Z', id: '1', problem: 'the user name' },
])('E70: the mistake in $text is reported', ({ text, id, problem }) => {
  expect(readRequest(text)).toEqual({ id, problem: expect.stringContaining(`${problem} cannot be read`) });
});
