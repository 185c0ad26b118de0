import { expect, it } from 'vitest';
import { inertText } from './inert-text.ts';

it.each([
  '@all',
  'look @here',
  'x@everyone',
  '@Everyone',
  '@channel',
  '@ann, look',
  '(@ann)',
  '<@123>',
  '<@&123>',
  '<!here>',
  '<!subteam^S1>',
  '<#123>',
  '<https://evil.example|Grafana>',
  '<https://evil.example>',
  '<a href="https://evil.example">Grafana</a>',
  '<img src=x>',
  '<IMG/src=x>',
  '<mailto:ann@example.org>',
  '[Grafana](https://evil.example)',
  '![](https://evil.example/pixel.png)',
  '[Grafana][1]\n\n[1]: https://evil.example',
  'x\n  [Grafana]: https://evil.example',
])('%j mentions no user and hides no address', (text) => {
  const inert = inertText(text);
  expect(inert).not.toMatch(/@(all|here|everyone|channel)|(^|[^\w])@\w|<[@!#]|<[a-z]+[:/\s]|\][([]|^\s*\[[^\]]*\]:/im);
  expect(inert.replaceAll('\u200b', '')).toBe(text);
  expect(inertText(inert), 'once is enough').toBe(inert);
});

it.each([
  'Rolled back podinfo after 2 failed checks: success rate 94.5% is below 99%',
  'Weight <10>, 5 < 6 > 4 & more',
  'rolled back: <b> & co',
  'Paused by ann@example.org',
  'image registry.example/app@sha256:0123',
  'spec.analysis.metrics[0]: "error_rate" *is* `high`',
  'see https://grafana.example/d/1?a=b&c=[d]',
  'line one\nline two',
])('%j stays unmodified', (text) => expect(inertText(text)).toBe(text));

it.each(['@', '<', '[', ']', '[[[]', '\n[', '@@<', ' \t'])('looks at each character of %j x 100,000 a bounded number of times', (one) => {
  const text = one.repeat(100_000);
  expect(inertText(text).replaceAll('\u200b', '')).toBe(text);
});
