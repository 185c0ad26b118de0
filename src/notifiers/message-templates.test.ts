import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { MOST_FILE, MOST_TEMPLATE, readMessageTemplates, templateKinds } from './message-templates.ts';
import type { AlertMessage } from './notifier.ts';
import { lists, scalars } from './template-variables.ts';

const message: AlertMessage = {
  key: 'k',
  canary: { name: 'web', namespace: 'shop' },
  severity: 'error',
  reason: 'Failed',
  text: 'Rolled back shop/web',
  fields: [{ name: 'Cluster', value: 'eu-1' }],
  details: {
    release: 7,
    revision: 's1:abc',
    weight: 20,
    step: { at: 1, of: 3 },
    checks: [
      { check: 'errors', verdict: 'failed', value: 7.5, limit: 'at most 1' },
      { check: 'latency', verdict: 'unmeasured', reason: 'no series' },
    ],
    change: { images: [{ container: 'web', from: 'acme/web:1', to: 'acme/web:2' }], configs: ['configmap/app'] },
    durationSeconds: 25,
  },
  page: 'https://serin.example/canaries/shop/web',
  atMs: 0,
};

const textOf = (templates: Record<string, string>, of: AlertMessage = message) => {
  const read = readMessageTemplates(stringify(templates));
  if ('problem' in read) throw new Error(read.problem);
  return read.templates(of);
};
const problemOf = (file: string) => {
  const read = readMessageTemplates(file);
  return 'problem' in read ? read.problem : undefined;
};

describe('a message template', () => {
  it.each([
    { template: '{{name}} in {{namespace}}: {{step}}/{{steps}} at {{weight}}%', text: 'web in shop: 1/3 at 20%' },
    { template: '{{#images}}{{container}}: {{change}}{{/images}}', text: 'web: acme/web 1 → 2' },
    { template: '{{#checks}}{{check}}={{value}} ({{limit}}{{cause}}) {{/checks}}', text: 'errors=7.5 (at most 1) latency= (no series)' },
    { template: '{{#configs}}{{.}}{{/configs}}{{^gate}} no gate{{/gate}}', text: 'configmap/app no gate' },
    { template: '{{#page}}see {{page}}{{/page}} {{#fields}}{{name}}={{value}}{{/fields}}', text: `see ${message.page} Cluster=eu-1` },
    { template: '{{text}} after {{duration}} s', text: 'Rolled back shop/web after 25 s' },
  ])('$template gives $text', ({ template, text }) => expect(textOf({ Failed: template })).toEqual({ text }));

  it('is the one of its kind, else the default, else none', () => {
    expect(textOf({ Failed: 'a', default: 'b' })).toEqual({ text: 'a' });
    expect(textOf({ Succeeded: 'a', default: 'b' })).toEqual({ text: 'b' });
    expect(textOf({ Succeeded: 'a' })).toBeUndefined();
    expect(textOf({})).toBeUndefined();
  });

  it('shows text of tenants unmodified: receivers escape it, and a tag in it has no effect', () => {
    const hostile = { ...message, text: '{{name}} <!here> & {{#fields}}' };
    expect(textOf({ Failed: '{{text}} {{{text}}}' }, hostile)).toEqual({
      text: '{{name}} <!here> & {{#fields}} {{name}} <!here> & {{#fields}}',
    });
  });

  it('that gives no text for an alert is not used', () => {
    expect(textOf({ Failed: '{{gate}}' })).toEqual({ problem: 'Failed: it gives no text for this alert: give it words of its own' });
  });

  it('of an alert that an earlier version has listed has empty details', () => {
    const { details: _, ...older } = message;
    expect(textOf({ Failed: '{{name}}{{#images}}x{{/images}} {{release}}.' }, older)).toEqual({ text: 'web .' });
  });

  it('costs a bounded amount for any text of tenants', () => {
    const fields = Array.from({ length: 100_000 }, () => ({ name: 'x'.repeat(10_000), value: 'y'.repeat(10_000) }));
    const made = textOf({ Failed: '{{#fields}}{{name}}{{value}}{{/fields}}' }, { ...message, fields });
    expect(made).toEqual({ text: ('x'.repeat(1_000) + 'y'.repeat(1_000)).repeat(30) });
  });
});

describe('a file of templates that cannot be used names the key and the remedy', () => {
  it.each([
    ['Faild: a', /^Faild: no kind of alert has this name: use one of Initialized, .*Failed/],
    ['Failed: "{{nme}}"', /^Failed: \{\{nme}} is not a variable here: use one of text, name/],
    ['Failed: "{{constructor}}"', /^Failed: \{\{constructor}} is not a variable here/],
    ['Failed: "{{details.release}}"', /^Failed: \{\{details.release}} is not a variable here/],
    ['Failed: "{{change}}"', /^Failed: \{\{change}} is not a variable here/],
    ['Failed: "{{images}}"', /^Failed: \{\{images}} is a list: write \{\{#images}}/],
    ['Failed: "{{#images}}{{#fields}}a{{/fields}}{{/images}}"', /^Failed: \{\{#fields}} is within \{\{#images}}: move it behind/],
    ['Failed: "{{#images}}{{#from}}{{#images}}a{{/images}}{{/from}}{{/images}}"', /^Failed: \{\{#images}} is within/],
    ['Failed: "{{> other}}"', /^Failed: \{\{>other}} is not supported/],
    ['Failed: "{{=<% %>=}}"', /^Failed: \{\{=.*}} is not supported/],
    ['Failed: "{{#images}}"', /^Failed: Unclosed section "images".*: correct the tags/],
    ['Failed: "{{name"', /^Failed: Unclosed tag.*: correct the tags/],
    ['Failed: ""', /^Failed: it must be a text that is not empty/],
    ['Failed: [a]', /^Failed: it must be a text/],
    [`Failed: "${'a'.repeat(MOST_TEMPLATE + 1)}"`, /^Failed: it is longer than 2048 characters: shorten it/],
    ['- a', /^it must be a map from kinds of alert to texts/],
    ['a: [', /^it is not YAML: /],
    ['#'.repeat(MOST_FILE + 1), /^it is longer than 65536 characters/],
  ])('%s', (file, problem) => expect(problemOf(file)).toMatch(problem));

  it('every variable, list and kind is documented', () => {
    const docs = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8');
    const section = docs.slice(docs.indexOf('## Texts of your own'), docs.indexOf('## How'));
    const words = [...Object.keys(scalars), ...Object.entries(lists).flat(2), ...templateKinds];
    expect(words.filter((word) => !section.includes(`\`${word}\``))).toEqual([]);
  });

  it('an empty one is fine', () => expect(problemOf('# none yet\n')).toBeUndefined());
});
