import { expect, it } from 'vitest';
import { withTwoDashes } from './go-flags.ts';

it.each([
  { given: ['-mesh-provider=istio'], read: ['--mesh-provider=istio'] },
  { given: ['--mesh-provider', 'istio'], read: ['--mesh-provider', 'istio'] },
  { given: ['-f', 'x.yaml', '-'], read: ['-f', 'x.yaml', '-'] },
  { given: ['-enable-leader-election'], read: ['--enable-leader-election'] },
])('$given is read as $read', ({ given, read }) => expect(withTwoDashes(given)).toEqual(read));
