import { expect, it } from 'vitest';
import { calledAs } from './own-program.ts';

it.each([
  ['/usr/local/bin/serin', 'serin'],
  ['/usr/local/bin/kubectl-serin', 'kubectl serin'],
  ['/opt/kubectl-serin.exe', 'kubectl serin'],
  ['/checkout/src/cli/main.ts', 'serin'],
  [undefined, 'serin'],
])('%s is called as %s', (path, name) => expect(calledAs(path)).toBe(name));
