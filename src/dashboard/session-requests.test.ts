import { expect, it } from 'vitest';
import { SessionRequests } from './session-requests.ts';

it('I15: requests are under way up to a number for each session and in sum, and a request that ends makes room', () => {
  const [ann, ben, cid] = [{}, {}, {}];
  const requests = new SessionRequests(3, 2);
  const first = requests.begin(ann);
  requests.begin(ann);
  expect(requests.begin(ann)).toBeUndefined();
  requests.begin(ben);
  expect(requests.begin(cid)).toBeUndefined();
  first?.();
  expect(requests.begin(cid)).toBeDefined();
});
