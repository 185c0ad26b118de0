import { expect, it } from 'vitest';
import { namesPlaceholder } from './placeholder.ts';

it.each([
  ['up{app="{{ target }}"}', true],
  ['{{target}}', true],
  ['{{ printf "%s-primary" target | html }}', true],
  ['{{{target}}', true],
  ['{{ if eq 1 1 }}}{{ target }}}', true],
  ['{{ name }}{{ target }}', true],
  ['{{ targets }}', false],
  ['{{ my_target }}', false],
  ['target', false],
  ['{{ name }} target }}', false],
  ['{{ target', false],
  ['{{ target }', false],
  ['{{ a } target }}', false],
  ['{{ target } }}', false],
])('%s names the target: %s', (query, names) => expect(namesPlaceholder(query, 'target')).toBe(names));
