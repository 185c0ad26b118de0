import { expect, it } from 'vitest';
import { allowedIn, gatewayEntries, hostEntries, parseAllowList } from './allow-list.ts';

it('DF615: lists of a namespace and those of all are joined', () => {
  const list = parseAllowList(['team-a=*.A.example.com, a.example.com', 'team-a=b.example.com', '*=shared.example.com'], hostEntries);
  if ('problem' in list) throw new Error(list.problem);
  expect(allowedIn(list, 'team-a')).toEqual(['*.a.example.com', 'a.example.com', 'b.example.com', 'shared.example.com']);
  expect(allowedIn(list, 'constructor')).toEqual(['shared.example.com']);
});

it.each([
  '',
  '=',
  'team-a',
  'team-a=',
  'team-a=,',
  '=a.example.com',
  'Team=a.example.com',
  'a b=a.example.com',
  '*.a=a.example.com',
  'team-a=*a.example.com',
])('DF615: --allowed-hosts=%s is refused with a message', (value) =>
  expect(parseAllowList([value], hostEntries)).toEqual({ problem: expect.stringContaining('write it like team-a=') }),
);
it.each([
  'team-a=a.example.com:80',
  'team-a=a.example.com.',
  'team-a=a.*.com',
  'team-a=bücher.example',
  'team-a=a..b',
  'team-a=https://a.example.com',
  'team-a=a.example.com,,',
])('DF615: --allowed-hosts=%s is also refused with a message', (value) =>
  expect(parseAllowList([value], hostEntries)).toHaveProperty('problem'),
);
it.each([
  'team-a=public',
  'team-a=./public',
  'team-a=public.istio-system',
  'team-a=*/public',
  'team-a=infra/*',
  'team-a=*',
  'team-a=mesh',
  'team-a=infra/a/b',
  'team-a=/public',
])('DF615: --allowed-gateways=%s is refused with a message', (value) =>
  expect(parseAllowList([value], gatewayEntries)).toEqual({ problem: expect.stringContaining('write it like team-a=') }),
);
